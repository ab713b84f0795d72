import type { InceptionHead } from '@svc/protocol/base/inception-head'
import { describe, expect, it } from 'vitest'
import { REALM } from '../../test/realm.ts'
import { alice, seeds } from '../../test/sides.ts'
import { KeyHistory } from '../chain/key-history.ts'
import { Guardians } from '../keys/guardians.ts'
import { makeKeyPackage } from '../keys/key-material.ts'
import { Transport } from '../transport/transport.ts'
import { Device } from './device.ts'
import { placed } from './signing.ts'

const at = (sequence: number): InceptionHead => ({ sequence, hash: 'ab'.repeat(48) })
const signing = { realm: REALM, now: 1 }

describe('a statement names', () => {
  it('the newest event that its signer knew, but none older than the attestation of the signer', () => {
    expect(placed(signing)).toEqual({ realm: REALM, inception: null, issuedAt: 1 })
    expect(placed({ ...signing, inception: at(2) }).inception).toEqual(at(2))
    expect(placed({ ...signing, inception: at(2) }, at(1)).inception).toEqual(at(2))
    expect(placed({ ...signing, inception: at(1) }, at(2)).inception).toEqual(at(2))
    expect(placed(signing, at(0)).inception).toEqual(at(0))
  })

  it('the event that attested a device, if it knows no newer one', async () => {
    const { did, scope, userId } = alice
    const origin = 'app:test'
    const membership = { did, scope, userId, rootEpoch: 0, origin, capabilities: [], inception: at(2) }
    const device = await Device.fromSeeds(seeds(3), { origin, capabilities: [] }, membership)
    expect((await makeKeyPackage(device, signing)).statement.inception).toEqual(at(2))
    expect((await device.acceptance(did, signing)).statement.inception).toEqual(at(2))
    for (const inception of [at(4), at(1), null]) {
      expect((await device.acceptance(did, { ...signing, inception })).statement.inception).toEqual(inception)
    }
    const answer = { ...at(4), did, rootEpoch: 0 }
    expect((await device.acceptance(did, { ...signing, inception: answer })).statement.inception).toEqual(at(4))
  })

  it('the newest event that its client knows', async () => {
    const options = { realm: REALM, now: () => 1 }
    const asserter = { assertion: (request: never) => alice.assertion(request), known: async () => at(3) }
    const parts = (transport: Transport) => ({
      transport,
      keys: 'https://keys.test',
      owner: alice,
      history: new KeyHistory(transport, REALM),
    })
    const terms = { subjectHash: 'ab'.repeat(48), guardians: [alice.did], threshold: 1 }
    const knowing = await new Guardians(parts(new Transport(options, asserter))).makeRequest(terms)
    expect(knowing.statement.inception).toEqual(at(3))
    const fresh = await new Guardians(parts(new Transport(options, alice))).makeRequest(terms)
    expect(fresh.statement.inception).toBeNull()
  })
})
