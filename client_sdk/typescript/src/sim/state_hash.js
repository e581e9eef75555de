// Six hashes over what is alive: SPEC.md, "State hash".

import { draw } from "./random.js";

/** @typedef {import("./numbers.js").Vec} Vec */
/** @typedef {import("./orientation.js").Basis} Basis */
/** @typedef {import("./orientation.js").Quat} Quat */
/** @typedef {import("./missile.js").Pose} Pose */
/** @typedef {import("./world.js").World} World */
/** @typedef {import("./world.js").Entity} Entity */
/** @typedef {import("./world.js").Salvo} Salvo */

class Lane {
  h = 0;

  /** @param {...number} words taken mod 2^32 */
  add(...words) {
    for (const w of words) this.h = draw(this.h, w | 0);
  }
  /** @param {number} t subticks */
  time(t) {
    this.add(t, Math.floor(t / 4294967296));
  }
  /** @param {...Vec} vectors */
  vec(...vectors) {
    for (const { x, y, z } of vectors) this.add(x, y, z);
  }
  /** @param {Quat} q */
  quat({ x, y, z, w }) {
    this.add(x, y, z, w);
  }
  /** @param {Pose} pose */
  pose({ position, basis }) {
    this.vec(position, basis.f, basis.u);
  }
}

/** @param {Lane} lane @param {Salvo} salvo */
function addLaunch(lane, { id, tick, launch, missiles }) {
  lane.add(id, tick, launch.seed, launch.launcher, launch.target);
  lane.time(launch.t0);
  lane.add(launch.pieces, launch.mount, launch.weapon, launch.count, launch.log2Piece);
  for (const missile of missiles) {
    if (missile.end !== 0) lane.add(-1);
    else lane.add(missile.events, missile.target);
  }
}

/** @param {Lane} lane @param {Salvo} salvo */
function addAnchor(lane, { anchor, events }) {
  lane.vec(anchor.muzzle, anchor.launcherVelocity, anchor.target, anchor.targetVelocity);
  lane.vec(anchor.muzzleBasis.f, anchor.muzzleBasis.u, anchor.targetBasis.f, anchor.targetBasis.u);
  lane.add(anchor.targetType);
  for (const event of events) {
    lane.add(event.newTarget, event.oldType, event.group, event.ordinal, event.wasLocked ? 1 : 0);
    lane.add(event.mask, event.tick);
    lane.pose(event.atEvent);
    lane.pose(event.backStep);
  }
}

/** @param {Lane} lane @param {Entity} entity */
function addTrack(lane, { id, track, attitude }) {
  const piece = track[track.length - 1];
  lane.add(id);
  lane.time(piece.start);
  lane.add(piece.K, piece.jump ? 1 : 0);
  lane.vec(piece.p0, piece.v0, piece.p1, piece.v1, piece.f0);
  if (attitude.length === 0) return;
  const turn = attitude[attitude.length - 1];
  lane.time(turn.start);
  lane.add(turn.K);
  lane.quat(turn.a);
  lane.quat(turn.b);
}

/** @param {Lane} lane @param {Entity} entity */
function addTurrets(lane, { id, turrets }) {
  turrets.forEach(({ mode, state: { yaw, pitch } }, number) => {
    lane.add(id, number, mode.order, mode.target, mode.index, mode.bearing);
    lane.add(yaw.angle, yaw.rate, pitch.angle, pitch.rate);
  });
}

/** @param {Lane} lane @param {import("./shot.js").Burst} burst */
function addBurst(lane, burst) {
  lane.add(burst.entity, burst.turret, burst.count);
  lane.time(burst.time);
  lane.add(burst.seed, burst.type);
  lane.vec(burst.pivot, burst.velocity, burst.bore.f, burst.bore.u);
}

/** @param {Lane} lane @param {World} world @param {Salvo} salvo @param {number} roll */
function addFlights(lane, world, salvo, roll) {
  salvo.missiles.forEach((missile, i) => {
    if (missile.end !== 0 || (salvo.id + i) % 256 !== roll) return;
    if (world.path(salvo, i).start > world.time()) return;
    lane.add(salvo.id);
    lane.vec(world.missilePosition(salvo, i, world.time()));
  });
}

/**
 * The hash of a world as it is, for the roll that is next.
 * @param {World} world
 * @returns {{roll: number, lanes: number[]}} lanes: launches, anchors, tracks, health, turrets,
 *   flights
 */
export function stateHash(world) {
  const roll = world.hashCount % 256;
  const [launches, anchors, tracks, health, turrets, flights] = [0, 1, 2, 3, 4, 5].map(
    () => new Lane(),
  );
  launches.add(world.nextLaunch);
  for (const salvo of world.salvos) {
    if (!salvo.missiles.some((missile) => missile.end === 0)) continue;
    addLaunch(launches, salvo);
    addAnchor(anchors, salvo);
    addFlights(flights, world, salvo, roll);
  }
  const entities = [...world.entities.values()].sort((a, b) => a.id - b.id);
  for (const entity of entities.filter(({ goneTime }) => goneTime === null)) {
    addTrack(tracks, entity);
    health.add(entity.id, entity.type, entity.team, entity.userTag);
    health.time(entity.spawnTime);
    health.add(entity.health);
    addTurrets(turrets, entity);
  }
  for (const burst of world.bursts) addBurst(turrets, burst);
  return { roll, lanes: [launches, anchors, tracks, health, turrets, flights].map((l) => l.h) };
}
