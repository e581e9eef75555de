// The fold of tick records over a scenario: SPEC.md, "World". It trusts its records: what a reader
// has to refuse is not checked here.

import { attitudeAt, attitudeKey, spawnAttitude } from "./attitude.js";
import { flightTime, launchTime } from "./launch.js";
import { MissilePath, NO_ENTITY } from "./missile.js";
import { ONE, WORLD, ZERO, add, clampVec, pow2, vec } from "./numbers.js";
import {
  compose, faceBasis, freezeBasis, frozenQuatBasis, quatBasis, rotate,
} from "./orientation.js";
import { stateHash } from "./state_hash.js";
import {
  jumpPiece, keyPiece, relativePiece, spawnPiece, trackFacing, trackPosition, trackVelocity,
} from "./track.js";
import {
  cutBursts, makeBurst, pruneBursts, restingTurrets, stepTurrets,
} from "./world_turrets.js";

/** @typedef {import("./numbers.js").Vec} Vec */
/** @typedef {import("./orientation.js").Basis} Basis */
/** @typedef {import("./orientation.js").Quat} Quat */
/** @typedef {import("./missile.js").Pose} Pose */

/**
 * @typedef {object} EntityType
 * @property {readonly import("./launch.js").HullPart[]} hull
 * @property {number} hitPoints
 * @property {number} maxSpeed length units per second
 * @property {boolean} ownAttitude
 * @property {readonly {offset: Vec, basis: Basis}[]} mounts in the body's axes, Q24
 * @property {readonly import("./shot.js").Turret[]} turrets
 */

/**
 * @typedef {object} Scenario
 * @property {number} log2Tick
 * @property {readonly (import("./launch.js").Weapon & {maxExtraSpeed: number})[]} weapons
 * @property {readonly EntityType[]} types
 */

/**
 * @typedef {object} Entity
 * @property {number} id
 * @property {number} type
 * @property {number} team
 * @property {number} userTag
 * @property {number} health
 * @property {number} spawnTime subticks
 * @property {number | null} goneTime subticks
 * @property {import("./track.js").TrackPiece[]} track
 * @property {import("./attitude.js").AttitudePiece[]} attitude empty where it faces where it goes
 * @property {import("./world_turrets.js").EntityTurret[]} turrets as the type has them
 */

/**
 * A launch as a record says it: see Launch for the rest.
 * @typedef {import("./launch.js").Launch & {launcher: number, target: number, mount: number,
 *   weapon: number, count: number}} SalvoLaunch
 */

/**
 * @typedef {object} GuidanceEvent
 * @property {number} time its tick's end, subticks
 * @property {number} tick
 * @property {number} newTarget @property {number} oldType
 * @property {number} group @property {number} mask missile 32 * group + bit
 * @property {number} ordinal events its missiles had before
 * @property {boolean} wasLocked
 * @property {Pose} atEvent @property {Pose} backStep of the old target
 */

/**
 * @typedef {object} Missile
 * @property {number} end EndKind
 * @property {number} endTime subticks; while alive, when it would end
 * @property {number} victim
 * @property {number} events
 * @property {number} target of its lock, or NO_ENTITY
 * @property {MissilePath | null} path compiled when first asked for
 */

/**
 * @typedef {object} Salvo
 * @property {number} id
 * @property {number} tick
 * @property {SalvoLaunch} launch
 * @property {import("./launch.js").Anchor & {targetType: number}} anchor
 * @property {GuidanceEvent[]} events
 * @property {Missile[]} missiles
 */

/** How a missile ended. */
export const EndKind = Object.freeze({ ALIVE: 0, IMPACT: 1, EXPIRED: 2, ABORTED: 3 });

/** What is kept behind the newest tick: 8 s, and what events look back. */
const KEPT = 524288 + 2048;
const BACK_STEP = 1024;
/** @type {Pose} */
const NOWHERE = { position: ZERO, basis: { f: vec(0, 0, ONE), u: vec(0, ONE, 0) } };

export class World {
  /** @param {Scenario} scenario */
  constructor(scenario) {
    this.scenario = scenario;
    this.tick = 0;
    this.nextLaunch = 0;
    this.hashCount = 0;
    /** @type {Map<number, Entity>} */
    this.entities = new Map();
    /** @type {Salvo[]} by ascending id */
    this.salvos = [];
    /** @type {import("./shot.js").Burst[]} in the order of the log */
    this.bursts = [];
    /** The number of the first of them in the session. */
    this.firstBurst = 0;
  }

  /** Everything up to here is final. @returns {number} subticks */
  time() {
    return this.tick * pow2(this.scenario.log2Tick);
  }

  /**
   * Folds a record, and before it the silent ticks since the last one.
   * @param {any} record of a later tick
   * @returns {number[]} the lanes of the state hash it says and that differ from the world's
   */
  fold(record) {
    while (this.tick < record.tick - 1) this.foldTick({ tick: this.tick + 1 });
    return this.foldTick(record);
  }

  /** @param {any} record @returns {number[]} */
  foldTick(record) {
    this.tick = record.tick;
    for (const shot of record.shots ?? []) this.bursts.push(makeBurst(this, shot));
    for (const launch of record.launches ?? []) this.launch(launch);
    for (const { salvo, index, kind, victim, time } of record.outcomes ?? []) {
      end(this.salvo(salvo).missiles[index], kind, time, victim);
    }
    for (const despawn of record.despawns ?? []) this.abort(despawn);
    this.implicitEnds(new Map((record.despawns ?? []).map((d) => [d.entity, d.time])));
    for (const { salvo, group, mask, target } of record.guidance ?? []) {
      this.giveEvent(this.salvo(salvo), group, mask, target);
    }
    this.losses(record);
    for (const { entity, health } of record.health ?? []) this.entity(entity).health = health;
    for (const { entity, time } of record.despawns ?? []) {
      this.entity(entity).goneTime = time;
      cutBursts(this, entity, time);
    }
    for (const spawn of record.spawns ?? []) this.spawn(spawn);
    stepTurrets(this);
    for (const { entity, turret, order, target, index, bearing } of record.turretModes ?? []) {
      this.entity(entity).turrets[turret].mode = { order, target, index, bearing };
    }
    this.keys(record);
    this.prune();
    const said = record.stateHashes?.[0];
    if (!said) return [];
    const { lanes } = stateHash(this);
    this.hashCount++;
    return [0, 1, 2, 3, 4, 5].filter((i) => lanes[i] !== said.lanes[i]);
  }

  /** @param {number} id @returns {Entity} */
  entity(id) {
    const entity = this.entities.get(id);
    if (!entity) throw new RangeError(`no entity ${id} at tick ${this.tick}`);
    return entity;
  }

  /** @param {number} low the id's low 16 bits @returns {Salvo} */
  salvo(low) {
    const salvo = this.salvos.find(({ id }) => id % 65536 === low);
    if (!salvo) throw new RangeError(`no salvo ${low} at tick ${this.tick}`);
    return salvo;
  }

  /** @param {Entity} entity @param {number} T @returns {Pose} */
  pose(entity, T) {
    const { track, attitude } = entity;
    const basis =
      attitude.length > 0 ? quatBasis(attitudeAt(attitude, T)) : faceBasis(trackFacing(track, T));
    return { position: trackPosition(track, T), basis };
  }

  /** @param {Salvo} salvo @param {number} index @returns {MissilePath} */
  path(salvo, index) {
    const missile = salvo.missiles[index];
    missile.path ??= new MissilePath(this.scenario, salvo, index);
    return missile.path;
  }

  /** @param {Salvo} salvo @param {number} index @param {number} T subticks @returns {Vec} X(T) */
  missilePosition(salvo, index, T) {
    return this.path(salvo, index).position(T, (id, at) => {
      const entity = this.entity(id);
      return { type: entity.type, pose: this.pose(entity, at) };
    });
  }

  /** @param {SalvoLaunch} launch */
  launch(launch) {
    const weapon = this.scenario.weapons[launch.weapon];
    const launcher = this.entity(launch.launcher);
    const target = this.entity(launch.target);
    const mount = this.scenario.types[launcher.type].mounts[launch.mount];
    const from = this.pose(launcher, launch.t0);
    const to = this.pose(target, launch.t0);
    const anchor = {
      muzzle: clampVec(add(from.position, rotate(from.basis, mount.offset)), WORLD),
      launcherVelocity: trackVelocity(launcher.track, launch.t0),
      muzzleBasis: freezeBasis(compose(from.basis, mount.basis)),
      target: to.position,
      targetVelocity: trackVelocity(target.track, launch.t0),
      targetBasis: freezeBasis(to.basis),
      targetType: target.type,
      hull: this.scenario.types[target.type].hull,
    };
    /** @type {Missile[]} */
    const missiles = [];
    for (let i = 0; i < launch.count; i++) {
      const endTime = launchTime(launch, weapon, i) + flightTime(launch);
      missiles.push({
        end: EndKind.ALIVE, endTime, victim: NO_ENTITY, events: 0, target: launch.target, path: null,
      });
    }
    this.salvos.push({
      id: this.nextLaunch++, tick: this.tick, launch, anchor, events: [], missiles,
    });
  }

  /** Missiles that were still to start when their launcher was lost. @param {any} despawn */
  abort({ entity, time }) {
    for (const { launch, missiles } of this.salvos) {
      if (launch.launcher !== entity) continue;
      const weapon = this.scenario.weapons[launch.weapon];
      missiles.forEach((missile, i) => {
        if (missile.end === EndKind.ALIVE && launchTime(launch, weapon, i) > time) {
          end(missile, EndKind.ABORTED, time, NO_ENTITY);
        }
      });
    }
  }

  /** @param {Map<number, number>} despawned times by entity, of this record */
  implicitEnds(despawned) {
    for (const { missiles } of this.salvos) {
      for (const missile of missiles) {
        const { target, endTime } = missile;
        if (missile.end !== EndKind.ALIVE || endTime > this.time()) continue;
        const hits = target !== NO_ENTITY && !((despawned.get(target) ?? endTime) < endTime);
        end(missile, hits ? EndKind.IMPACT : EndKind.EXPIRED, endTime, hits ? target : NO_ENTITY);
      }
    }
  }

  /**
   * Missiles of a group lose their lock or take another: an event for each history they have.
   * @param {Salvo} salvo @param {number} group @param {number} mask @param {number} newTarget
   */
  giveEvent(salvo, group, mask, newTarget) {
    const time = this.time();
    /** @type {Map<string, GuidanceEvent>} */
    const made = new Map();
    for (let bit = 0; bit < 32; bit++) {
      const missile = salvo.missiles[32 * group + bit];
      if (((mask >>> bit) & 1) === 0 || missile.end !== EndKind.ALIVE) continue;
      const history = `${missile.events} ${missile.target}`;
      const event = made.get(history) ?? this.newEvent(missile, group, newTarget, time);
      if (!made.has(history)) salvo.events.push(event);
      made.set(history, event);
      event.mask = (event.mask | (1 << bit)) >>> 0;
      missile.events++;
      missile.target = newTarget;
    }
  }

  /**
   * @param {Missile} missile @param {number} group @param {number} newTarget @param {number} time
   * @returns {GuidanceEvent}
   */
  newEvent(missile, group, newTarget, time) {
    const wasLocked = missile.target !== NO_ENTITY;
    const old = wasLocked ? this.entity(missile.target) : null;
    return {
      time,
      tick: this.tick,
      newTarget,
      oldType: old ? old.type : 0,
      group,
      mask: 0,
      ordinal: missile.events,
      wasLocked,
      atEvent: old ? this.pose(old, time) : NOWHERE,
      backStep: old ? this.pose(old, time - BACK_STEP) : NOWHERE,
    };
  }

  /** Locks on what this record despawns or moves by a jump. @param {any} record */
  losses(record) {
    const lost = (record.despawns ?? []).map((/** @type {any} */ d) => d.entity);
    for (const { jump, entity } of record.trackKeys ?? []) if (jump) lost.push(entity);
    lost.sort((/** @type {number} */ a, /** @type {number} */ b) => a - b);
    for (const entity of lost) {
      for (const salvo of this.salvos) {
        for (let group = 0; 32 * group < salvo.missiles.length; group++) {
          let mask = 0;
          for (let bit = 0; bit < 32; bit++) {
            const missile = salvo.missiles[32 * group + bit];
            if (missile?.end === EndKind.ALIVE && missile.target === entity) mask |= 1 << bit;
          }
          if (mask !== 0) this.giveEvent(salvo, group, mask, NO_ENTITY);
        }
      }
    }
  }

  /** @param {any} spawn */
  spawn({ entity, type, team, userTag, position, velocity, attitude }) {
    const now = this.time();
    const { hitPoints, ownAttitude, turrets } = this.scenario.types[type];
    this.entities.set(entity, {
      id: entity,
      type,
      team,
      userTag,
      health: hitPoints,
      spawnTime: now,
      goneTime: null,
      track: [spawnPiece(now, position, velocity, frozenQuatBasis(attitude).f)],
      attitude: ownAttitude ? [spawnAttitude(now, attitude)] : [],
      turrets: restingTurrets(turrets),
    });
  }

  /** @param {any} record */
  keys(record) {
    const now = this.time();
    const { log2Tick } = this.scenario;
    for (const { entity, log2Ticks, jump, position, velocity } of record.trackKeys ?? []) {
      const { track } = this.entity(entity);
      track.push(
        jump
          ? jumpPiece(track, now, position, velocity)
          : keyPiece(track, now, log2Ticks + log2Tick, position, velocity),
      );
    }
    for (const { entity, log2Ticks, scale, d, dv } of record.relativeKeys ?? []) {
      const { track } = this.entity(entity);
      track.push(relativePiece(track, now, { K: log2Ticks + log2Tick, scale, d, dv }));
    }
    for (const { entity, log2Ticks, attitude } of record.attitudeKeys ?? []) {
      const pieces = this.entity(entity).attitude;
      pieces.push(attitudeKey(pieces, now, log2Ticks + log2Tick, attitude));
    }
  }

  prune() {
    const limit = this.time() - KEPT;
    for (const [id, { goneTime, track, attitude }] of this.entities) {
      if (goneTime !== null && goneTime < limit) this.entities.delete(id);
      while (track.length > 1 && track[1].start < limit) track.shift();
      while (attitude.length > 1 && attitude[1].start < limit) attitude.shift();
    }
    pruneBursts(this);
    this.salvos = this.salvos.filter(({ missiles }) =>
      missiles.some((m) => m.end === EndKind.ALIVE || m.endTime >= limit),
    );
  }
}

/** @param {Missile} missile @param {number} kind @param {number} time @param {number} victim */
function end(missile, kind, time, victim) {
  missile.end = kind;
  missile.endTime = time;
  missile.victim = victim;
}
