import { Identity } from '@svc/client'

/** A deterministic identity. Each number gives a different one. */
export function testIdentity(number: number): Promise<Identity> {
  const signing = new Uint8Array(32)
  const kem = new Uint8Array(32)
  new DataView(signing.buffer).setUint32(0, number)
  new DataView(kem.buffer).setUint32(0, number)
  return Identity.fromSeeds({ signing, kem })
}
