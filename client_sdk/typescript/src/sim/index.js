// The specified arithmetic of contrail, path revision 1: SPEC.md.

export * from "./angles.js";
export * from "./attitude.js";
export * from "./curve.js";
export * from "./fingerprint.js";
export * from "./flight.js";
export * as flightModel from "./flight_model.js";
export * from "./frame.js";
export * from "./hit.js";
export * from "./homing.js";
export * from "./launch.js";
export * from "./lead.js";
export * from "./missile.js";
export * from "./noise.js";
export * from "./numbers.js";
export * from "./orientation.js";
export * from "./random.js";
export * from "./shot.js";
export * from "./state_hash.js";
export * from "./track.js";
export * from "./turret.js";
export * from "./world.js";
export * from "./world_turrets.js";
