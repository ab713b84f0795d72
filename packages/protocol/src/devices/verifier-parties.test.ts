import { describe, expect, it } from 'vitest'
import type { InceptionHead } from '../base/inception-head.ts'
import { signStatement } from '../base/statement.ts'
import { type Signer, signerOf } from '../chain/chain.fixture.ts'
import { acceptanceOf, attestationOf, changeOf, headAfter, officerChangeOf, orgOf } from './inception.fixture.ts'
import {
  alice,
  ann,
  at,
  ben,
  cat,
  faultOf,
  first,
  flipped,
  heads,
  laptop,
  log,
  logOf,
  type Make,
  mallory,
  phone,
  second,
} from './log.fixture.ts'

describe('devices', () => {
  it('that were revoked never return, in any epoch', async () => {
    const again = await attestationOf(second, heads[10]!, laptop)
    expect(await faultOf([...log, again])).toEqual(at(10, 'device_retired'))
    const sooner = await attestationOf(first, heads[6]!, laptop)
    expect(await faultOf([...log.slice(0, 6), sooner])).toEqual(at(6, 'device_retired'))
  })

  it('can be re-attested only after a rotation', async () => {
    const twice = await attestationOf(first, heads[2]!, phone)
    expect(await faultOf([...log.slice(0, 2), twice])).toEqual(at(2, 'device_exists'))
  })

  it('must have accepted, each with its own key', async () => {
    const event = log[0] as Awaited<ReturnType<typeof attestationOf>>
    const forged = { ...event.acceptance, signatureB64u: flipped(event.acceptance.signatureB64u) }
    const signedByOther = await acceptanceOf({ ...phone, sign: laptop.sign }, alice.did)
    for (const acceptance of [forged, signedByOther]) {
      expect(await faultOf(log.with(0, { ...event, acceptance }))).toEqual(at(0, 'invalid_signature'))
    }
    for (const acceptance of [
      await acceptanceOf(laptop, alice.did),
      await acceptanceOf(phone, mallory.did),
      await acceptanceOf(phone, alice.did, { origin: 'app:other' }),
    ]) {
      expect(await faultOf(log.with(0, { ...event, acceptance }))).toEqual(at(0, 'device_mismatch'))
    }
  })

  it('are attested anew only with an acceptance that is not older than their newest event', async () => {
    const renewed = (inception: InceptionHead | null) =>
      acceptanceOf(phone, alice.did, { inception }).then((acceptance) =>
        attestationOf(second, heads[7]!, phone, { acceptance }),
      )
    const { acceptance } = log[0] as Awaited<ReturnType<typeof attestationOf>>
    for (const replayed of [
      await attestationOf(second, heads[7]!, phone, { acceptance }),
      await renewed(heads[4]!),
      await renewed(null),
    ]) {
      expect(await faultOf([...log.slice(0, 7), replayed])).toEqual(at(7, 'older_head'))
    }
    expect(await faultOf([...log.slice(0, 7), await renewed(heads[5]!)])).toBeNull()
  })

  it('accept with an event that the log has, or with none before they know any', async () => {
    const joining = async (inception: InceptionHead | null) =>
      attestationOf(first, heads[1]!, laptop, { acceptance: await acceptanceOf(laptop, alice.did, { inception }) })
    for (const inception of [heads[2]!, { ...heads[1]!, hash: heads[2]!.hash }, { ...heads[2]!, sequence: 1 }]) {
      expect(await faultOf([log[0]!, await joining(inception)])).toEqual(at(1, 'unknown_head'))
    }
    for (const inception of [heads[0]!, heads[1]!, null]) {
      expect(await faultOf([log[0]!, await joining(inception)])).toBeNull()
    }
  })

  it('are at most 32 in the current epoch, not counting revoked ones', async () => {
    const signers = await Promise.all(Array.from({ length: 34 }, (_, i) => signerOf(100 + i)))
    const makes = signers.slice(0, 32).map(
      (device): Make =>
        (head) =>
          attestationOf(first, head, device),
    )
    const full = await logOf(...makes)
    expect(await faultOf(full)).toBeNull()
    const [next, another] = signers.slice(32) as [Signer, Signer]
    expect(await faultOf([...full, await attestationOf(first, headAfter(full[31]!), next)])).toEqual(
      at(32, 'device_limit'),
    )
    const freed = await logOf(
      ...makes,
      (head) => changeOf(first, head, signers[0]!, { event: 'suspend' }),
      (head) => changeOf(first, head, signers[1]!, { event: 'revoke' }),
      (head) => attestationOf(first, head, next),
    )
    expect(await faultOf(freed)).toBeNull()
    expect(await faultOf([...freed, await attestationOf(first, headAfter(freed[34]!), another)])).toEqual(
      at(35, 'device_limit'),
    )
    expect(await faultOf([...freed, await attestationOf(second, headAfter(freed[34]!), another)])).toBeNull()
  })
})

describe('officers', () => {
  const org = log[6] as Awaited<ReturnType<typeof orgOf>>
  const change = log[8] as Awaited<ReturnType<typeof officerChangeOf>>

  it('must have signed their acceptances and approvals', async () => {
    const acceptances = org.acceptances.map((one, i) =>
      i === 1 ? { ...one, signatureB64u: flipped(one.signatureB64u) } : one,
    )
    expect(await faultOf(log.with(6, { ...org, acceptances }))).toEqual(at(6, 'invalid_signature'))
    const approvals = change.approvals.map((one, i) =>
      i === 1 ? { ...one, signatureB64u: flipped(one.signatureB64u) } : one,
    )
    expect(await faultOf(log.with(8, { ...change, approvals }))).toEqual(at(8, 'invalid_signature'))
    const swapped = change.approvals.map((one) => ({ ...one, publicKeyB64u: cat.ownerPublicKey }))
    expect(await faultOf(log.with(8, { ...change, approvals: swapped }))).toEqual(at(8, 'invalid_signature'))
  })

  it('must be a quorum, and each new officer must accept', async () => {
    const [approval] = change.approvals
    expect(await faultOf(log.with(8, { ...change, approvals: [approval!] }))).toEqual(at(8, 'quorum_not_met'))
    expect(await faultOf(log.with(8, { ...change, approvals: [approval!, approval!] }))).toEqual(
      at(8, 'quorum_not_met'),
    )
    expect(await faultOf(log.with(8, { ...change, acceptances: [] }))).toEqual(at(8, 'acceptance_missing'))
    expect(await faultOf(log.with(6, { ...org, acceptances: org.acceptances.slice(1) }))).toEqual(
      at(6, 'acceptance_missing'),
    )
  })

  it('that accept again do not name an older event of their own log', async () => {
    const naming = async (sequence: number, event: typeof org | typeof change) => {
      const acceptances = await Promise.all(
        event.acceptances.map(async ({ statement, publicKeyB64u }) => {
          const { sign } = statement.officerDid === ann.did ? ann : ben
          const named = { ...statement, inception: { sequence, hash: heads[1]!.hash } }
          return { ...(await signStatement(named, sign)), publicKeyB64u }
        }),
      )
      return { ...event, acceptances }
    }
    const begun = await naming(5, await orgOf(first, heads[0]!, [ann, ben], 1))
    const rosterOf = (officers: Signer[], version: number) => ({ officers, quorum: 1, version })
    const byBen = { approving: [ben], accepting: [] }
    const left = await officerChangeOf(first, headAfter(begun), rosterOf([ben], 2), byBen)
    const back = await officerChangeOf(first, headAfter(left), rosterOf([ben, ann], 3), { ...byBen, accepting: [ann] })
    expect(await faultOf([begun, left, await naming(5, back)])).toBeNull()
    for (const older of [await naming(4, back), back]) {
      expect(await faultOf([begun, left, older])).toEqual(at(2, 'older_head'))
    }
  })

  it('that are removed afterwards break the link of the next event', async () => {
    const extra = await officerChangeOf(
      second,
      heads[8]!,
      { officers: [ben, cat], quorum: 1, version: 2 },
      { approving: [ann, ben, cat], accepting: [cat] },
    )
    expect(await faultOf(log.with(8, extra))).toMatchObject(at(9, 'stale_inception_head'))
  })

  it('are declared once: a second inception and an old version are refused', async () => {
    expect(await faultOf([...log, await orgOf(second, heads[10]!, [ann], 1)])).toEqual(at(10, 'org_exists'))
    for (const version of [2, 4]) {
      const roster = { officers: [ben], quorum: 1, version }
      const event = await officerChangeOf(second, heads[10]!, roster, { approving: [ben], accepting: [] })
      expect(await faultOf([...log, event])).toEqual(at(10, 'roster_version'))
    }
    const early = await officerChangeOf(
      first,
      heads[6]!,
      { officers: [ann], quorum: 1, version: 2 },
      { approving: [ann], accepting: [ann] },
    )
    expect(await faultOf([...log.slice(0, 6), early])).toEqual(at(6, 'not_an_org'))
  })
})
