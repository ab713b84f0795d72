import { describe, expect, it } from 'vitest'
import { REALMS } from '../../test/realm.fixture.ts'
import { deviceIdOf } from '../base/device.ts'
import { signStatement } from '../base/statement.ts'
import { genesisOf, headOf, type Signer } from '../chain/chain.fixture.ts'
import { attestationOf, changeOf } from './inception.fixture.ts'
import type { InceptionEvent } from './inception.ts'
import {
  alice,
  at,
  ben,
  cat,
  faultOf,
  first,
  flipped,
  genesisHash,
  heads,
  keyOf,
  keys,
  laptop,
  log,
  mallory,
  phone,
  second,
  stale,
  successor,
  tablet,
} from './log.fixture.ts'
import { InceptionVerifier } from './verifier.ts'

const LAST = log.length - 1
const each = log.map((_, i) => i)
const withStatement = (index: number, members: object) =>
  log.with(index, { ...log[index], statement: { ...log[index]!.statement, ...members } } as InceptionEvent)
/** The same event re-signed, as the holder of the key could. */
async function resigned(index: number, members: object, { sign }: Signer): Promise<InceptionEvent[]> {
  const [changed] = withStatement(index, members).slice(index) as [InceptionEvent]
  return log.with(index, { ...changed, ...(await signStatement(changed.statement, sign)) } as InceptionEvent)
}

describe('a log over two root keys', () => {
  it('is valid and folds into devices and officers', async () => {
    const verifier = new InceptionVerifier(keys, genesisHash, REALMS)
    expect(verifier).toMatchObject({ head: heads[0], roster: null, devices: [] })
    expect(await faultOf(log, verifier)).toBeNull()
    const common = { origin: 'app:test', expiresAt: null }
    const [read] = [['chain:read']]
    expect(verifier.devices).toEqual(
      [
        { key: phone, rootEpoch: 1, capabilities: read, status: 'active' },
        { key: laptop, rootEpoch: 0, capabilities: read, status: 'revoked' },
        { key: tablet, rootEpoch: 1, capabilities: read, status: 'active' },
      ].map(({ key, ...device }) => ({
        ...common,
        ...device,
        deviceId: deviceIdOf(key.ownerPublicKey),
        publicKeyB64u: key.ownerPublicKey,
      })),
    )
    expect(verifier.roster).toEqual({ version: 2, officers: [ben.did, cat.did], quorum: 1 })
  })

  it('returns the head after each event and the state at that point', async () => {
    const verifier = new InceptionVerifier(keys, genesisHash, REALMS)
    const seen = []
    for (const [i, event] of log.entries()) {
      expect(await verifier.next(event)).toEqual({ ok: true, value: heads[i + 1] })
      const [device] = verifier.devices
      seen.push([device?.status, device?.capabilities[0], verifier.roster?.version])
    }
    expect(seen).toEqual([
      ['active', 'chain:read', undefined],
      ['active', 'chain:read', undefined],
      ['suspended', 'chain:read', undefined],
      ['active', 'chain:read', undefined],
      ['active', 'account:read', undefined],
      ['active', 'account:read', undefined],
      ['active', 'account:read', 1],
      ['active', 'chain:read', 1],
      ['active', 'chain:read', 2],
      ['active', 'chain:read', 2],
    ])
  })

  it('cannot detect a missing end: the head shows how far it goes', async () => {
    const verifier = new InceptionVerifier(keys, genesisHash, REALMS)
    expect(await faultOf(log.slice(0, 5), verifier)).toBeNull()
    expect(verifier.head).toEqual(heads[5])
  })

  it('keeps head and state on a fault', async () => {
    const verifier = new InceptionVerifier(keys, genesisHash, REALMS)
    await faultOf(withStatement(1, { issuedAt: 1 }), verifier)
    expect(verifier.head).toEqual(heads[1])
    expect(verifier.devices.map(({ deviceId }) => deviceId)).toEqual([deviceIdOf(phone.ownerPublicKey)])
  })

  it('follows only its own genesis block', async () => {
    const other = new InceptionVerifier(keys, headOf(await genesisOf(mallory)).hash, REALMS)
    expect(await faultOf(log, other)).toMatchObject(at(0, 'stale_inception_head'))
  })

  it('is refused as the log of another identity', async () => {
    expect(await faultOf(log, new InceptionVerifier([keyOf(0, mallory)], genesisHash, REALMS))).toEqual(
      at(0, 'owner_mismatch'),
    )
  })
})

describe.each(each)('in event %i', (index) => {
  const root = index < 7 ? alice : successor

  it('a changed member breaks the signature, or the acceptance of the officers', async () => {
    const reason = 'acceptances' in log[index]! ? 'acceptance_missing' : 'invalid_signature'
    expect(await faultOf(withStatement(index, { issuedAt: 1_790_000_000_001 }))).toEqual(at(index, reason))
  })

  it('a signature by another key or of another event is detected', async () => {
    const { signatureB64u } = log[index]!
    const others = [
      flipped(signatureB64u),
      log[(index + 1) % log.length]!.signatureB64u,
      (await signStatement(log[index]!.statement, mallory.sign)).signatureB64u,
      (await signStatement(log[index]!.statement, root === alice ? successor.sign : alice.sign)).signatureB64u,
    ]
    for (const other of others) {
      expect(await faultOf(log.with(index, { ...log[index]!, signatureB64u: other }))).toEqual(
        at(index, 'invalid_signature'),
      )
    }
  })

  it('a change that the root key signs breaks the link of the next one', async () => {
    const changed = await resigned(index, { expiresAt: 1_790_000_000_001, issuedAt: 1_790_000_000_001 }, root)
    const fault = await faultOf(changed)
    if ('acceptances' in log[index]!) expect(fault).toEqual(at(index, 'acceptance_missing'))
    else if (index === LAST) expect(fault).toBeNull()
    else expect(fault).toMatchObject(at(index + 1, 'stale_inception_head'))
  })

  it('removal, duplication and reordering are detected', async () => {
    expect(await faultOf(log.toSpliced(index, 1))).toEqual(index === LAST ? null : stale(index))
    expect(await faultOf(log.toSpliced(index, 0, log[index]!))).toEqual(stale(index + 1))
    if (index === LAST) return
    const swapped = log.with(index, log[index + 1]!).with(index + 1, log[index]!)
    expect(await faultOf(swapped)).toEqual(stale(index))
  })

  it('another identity is detected, regardless of the signer', async () => {
    for (const members of [{ did: mallory.did }, { scope: mallory.scope }]) {
      expect(await faultOf(await resigned(index, members, root))).toEqual(at(index, 'owner_mismatch'))
    }
  })
})

describe('root keys', () => {
  it('that were superseded may no longer sign', async () => {
    const late = await changeOf(first, heads[8]!, phone, { event: 'suspend' })
    expect(await faultOf([...log.slice(0, 8), late])).toEqual(at(8, 'unknown_epoch'))
    const claimed = await changeOf({ ...second, signer: alice }, heads[8]!, phone, { event: 'suspend' })
    expect(await faultOf([...log.slice(0, 8), claimed])).toEqual(at(8, 'invalid_signature'))
  })

  it('sign only in their own epoch', async () => {
    const early = await attestationOf({ ...first, signer: successor }, heads[0]!, phone)
    expect(await faultOf([early])).toEqual(at(0, 'invalid_signature'))
  })

  it('without evidence are unknown', async () => {
    const third = await changeOf({ genesis: alice, epoch: 2, signer: mallory }, heads[10]!, phone, { event: 'suspend' })
    expect(await faultOf([...log, third])).toEqual(at(10, 'unknown_epoch'))
    expect(await faultOf(log, new InceptionVerifier([keyOf(0, alice)], genesisHash, REALMS))).toEqual(
      at(7, 'unknown_epoch'),
    )
  })

  it('may sign the first event', async () => {
    expect(await faultOf([await attestationOf(second, heads[0]!, phone)])).toBeNull()
  })
})
