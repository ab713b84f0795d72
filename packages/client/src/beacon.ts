/**
 * Reading the beacon of a deployment: a small public log that witnesses cosign, without an identity. A separate entry
 * because it needs SHA-256, Ed25519 and ML-DSA-44, which nothing else here trusts.
 *
 * @module
 */
export {
  type BeaconOptions,
  type BeaconReading,
  type BeaconWitness,
  readBeacon,
} from './beacon/read-beacon.ts'
