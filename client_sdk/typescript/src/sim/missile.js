// Where a missile is, with everything that happened to it: SPEC.md, "Homing".

import { compileFlight, flightPosition } from "./flight.js";
import { MEASURED, keptVelocity, term } from "./homing.js";
import { aimOffset, flightTime, launchTime, predicted } from "./launch.js";
import { WORLD, ZERO, add, clampVec, driftVec, sub } from "./numbers.js";
import { rotate } from "./orientation.js";

/** @typedef {import("./numbers.js").Vec} Vec */
/** @typedef {import("./orientation.js").Basis} Basis */
/** @typedef {import("./world.js").Salvo} Salvo */
/** @typedef {import("./world.js").GuidanceEvent} GuidanceEvent */
/** @typedef {import("./world.js").Scenario} Scenario */

/** @typedef {{readonly position: Vec, readonly basis: Basis}} Pose */

/** What an event left behind: a missile keeps both. @typedef {{time: number, E: Vec, V: Vec}} Kept */

/** One missile of a salvo, compiled; it learns of events as they come. */
export class MissilePath {
  /** @param {Scenario} scenario @param {Salvo} salvo @param {number} index */
  constructor(scenario, salvo, index) {
    const weapon = scenario.weapons[salvo.launch.weapon];
    this.scenario = scenario;
    this.salvo = salvo;
    this.index = index;
    this.start = launchTime(salvo.launch, weapon, index);
    this.end = this.start + flightTime(salvo.launch);
    this.flight = compileFlight(salvo.launch, weapon, salvo.anchor, index);
    /** @type {Kept[]} */
    this.kept = [];
  }

  /** The missile's own events, in order. @returns {GuidanceEvent[]} */
  events() {
    const group = this.index >> 5;
    const bit = this.index & 31;
    return this.salvo.events.filter((e) => e.group === group && ((e.mask >>> bit) & 1) === 1);
  }

  /** @param {number} count @returns {Kept[]} what the first events left */
  keptOf(count) {
    const events = this.events();
    for (let j = this.kept.length; j < count; j++) this.kept.push(this.leftBy(events, j));
    return this.kept.slice(0, count);
  }

  /** @param {GuidanceEvent[]} events @param {number} j @returns {Kept} */
  leftBy(events, j) {
    const { time, wasLocked, oldType, atEvent, backStep } = events[j];
    if (!wasLocked) return { time, E: ZERO, V: ZERO };
    const type = this.scenario.types[oldType];
    const now = this.lockTerm(events, j, type, atEvent, time);
    const before = this.lockTerm(events, j, type, backStep, time - MEASURED);
    return { time, E: now, V: keptVelocity(now, before) };
  }

  /**
   * H(T) of lock j.
   * @param {GuidanceEvent[]} events
   * @param {number} j 0 the announced target's, else that of the event j - 1
   * @param {import("./world.js").EntityType} type of the target
   * @param {Pose} pose of the target at T
   * @param {number} T
   * @returns {Vec}
   */
  lockTerm(events, j, type, pose, T) {
    const { launch, anchor } = this.salvo;
    let meant;
    let begin = this.start;
    let offset = this.flight.offset;
    if (j === 0) {
      meant = predicted(launch, anchor, offset, T);
    } else {
      begin = events[j - 1].time;
      offset = aimOffset(type.hull, launch.seed, this.index, j);
      meant = this.flight.points[this.flight.points.length - 1];
      for (const { time, E, V } of this.keptOf(j)) {
        meant = add(meant, add(E, driftVec(V, this.end - time)));
      }
    }
    const gap = sub(add(pose.position, rotate(pose.basis, offset)), meant);
    return term(gap, T - begin, this.end - begin);
  }

  /**
   * X(T).
   * @param {number} T subticks
   * @param {(entity: number, T: number) => {type: number, pose: Pose}} look where a target is
   * @returns {Vec} length units
   */
  position(T, look) {
    const events = this.events().filter((e) => e.time < T);
    let at = flightPosition(this.flight, T - this.start);
    for (const { time, E, V } of this.keptOf(events.length)) {
      at = add(at, add(E, driftVec(V, T - time)));
    }
    const j = events.length;
    const target = j === 0 ? this.salvo.launch.target : events[j - 1].newTarget;
    if (target !== NO_ENTITY) {
      const { type, pose } = look(target, T);
      at = add(at, this.lockTerm(events, j, this.scenario.types[type], pose, T));
    }
    return clampVec(at, WORLD);
  }
}

/** Stands for none where an entity is named. */
export const NO_ENTITY = 65535;
