import { describe, expect, it } from 'vitest'
import { REALMS } from '../../test/realm.fixture.ts'
import { alice, mallory, third } from '../chain/rotation.fixture.ts'
import { STANDING_MS } from '../chain/rotation.ts'
import { type KeyHistoryFault, verifyKeyHistory } from '../chain/rotation-verification.ts'
import { type Changes, DAY_MS, replaced } from './replacement.fixture.ts'
import { replacementJudge } from './replacement.ts'
import type { InclusionAnswer } from './transparency.ts'

type Made = Awaited<ReturnType<typeof replaced>>
const verified = ({ evidence, logged }: Pick<Made, 'evidence' | 'logged'>) =>
  verifyKeyHistory(evidence, alice.did, REALMS, replacementJudge(logged, REALMS))
const refused = (reason: KeyHistoryFault['reason']) => ({ ok: false, error: { reason, epoch: 1 } })
const withProofs = (made: Made, change: (proof: InclusionAnswer, i: number) => InclusionAnswer | null) => {
  const proofs = made.logged.proofs.map(change).filter((proof) => proof !== null)
  return { ...made, logged: { ...made.logged, proofs } }
}

describe('a key that replaced a committed one', () => {
  it('is proved by root key, device and the log, which had its request for 30 days', async () => {
    const keys = await verified(await replaced())
    expect(keys.ok && keys.value.map(({ publicKeyB64u }) => publicKeyB64u)).toEqual([
      alice.ownerPublicKey,
      third.ownerPublicKey,
    ])
  })

  it.each<[string, Changes, KeyHistoryFault['reason']]>([
    ['the commitment does not allow it', { replaceable: false }, 'key_not_committed'],
    ['it was activated a millisecond early', { activationMapMs: STANDING_MS - 1 }, 'too_early'],
    ['the log had the request more than a day after core dates it', { requestMapMs: DAY_MS + 1 }, 'too_early'],
    ['the log had it more than a day before', { requestMapMs: -DAY_MS - 1 }, 'too_early'],
    ['the device was attested less than a window before', { attestedMs: DAY_MS - 1 }, 'no_standing'],
    ['the device may not co-sign', { capabilities: ['rotation:request'] }, 'no_standing'],
    [
      'the device lost the right 30 days before',
      { attestedMs: 40 * DAY_MS, events: [[30 * DAY_MS, { event: 'revoke' }]] },
      'no_standing',
    ],
    [
      'the device was suspended before it gained standing',
      { events: [[DAY_MS + 1, { event: 'suspend' }]] },
      'no_standing',
    ],
    [
      'the device was resumed less than a window before',
      {
        events: [
          [1.9 * DAY_MS, { event: 'suspend' }],
          [DAY_MS - 1, { event: 'resume' }],
        ],
      },
      'no_standing',
    ],
    [
      'a suspended device got the capability',
      {
        capabilities: ['chain:read'],
        events: [
          [1.9 * DAY_MS, { event: 'suspend' }],
          [1.8 * DAY_MS, { event: 'capabilities', capabilities: ['rotation:cosign'] }],
        ],
      },
      'no_standing',
    ],
    ['somebody else attested the device', { attestedBy: mallory }, 'no_standing'],
    ['somebody else co-signed', { cosignedBy: mallory }, 'no_standing'],
  ])('is refused if %s', async (_, changes, reason) => {
    expect(await verified(await replaced(changes))).toEqual(refused(reason))
  })

  it('counts a device that was lost less than 30 days before, and one that was suspended in between', async () => {
    const lost: Changes = { attestedMs: 40 * DAY_MS, events: [[30 * DAY_MS - 1, { event: 'revoke' }]] }
    expect((await verified(await replaced(lost))).ok).toBe(true)
    const between: Changes = {
      events: [
        [DAY_MS / 2, { event: 'suspend' }],
        [1, { event: 'resume' }],
      ],
    }
    expect((await verified(await replaced(between))).ok).toBe(true)
  })

  it('counts a device whose other capabilities changed since it was attested', async () => {
    const changed: Changes = {
      attestedMs: 1.5 * DAY_MS,
      events: [[0.8 * DAY_MS, { event: 'capabilities', capabilities: ['notes:read', 'rotation:cosign'] }]],
    }
    expect((await verified(await replaced(changed))).ok).toBe(true)
  })

  it('is refused if the device got the right less than a window before', async () => {
    const changed: Changes = {
      capabilities: ['notes:read'],
      events: [[DAY_MS - 1, { event: 'capabilities', capabilities: ['notes:read', 'rotation:cosign'] }]],
    }
    expect(await verified(await replaced(changed))).toEqual(refused('no_standing'))
  })

  it('is refused without the co-signature or the device’s log, and with those of another rotation', async () => {
    const made = await replaced()
    const [genesis, last] = made.evidence
    const { replacement, ...bare } = last
    const withReplacement = (changes: object) => {
      const evidence = [genesis, { ...last, replacement: { ...replacement!, ...changes } }] as const
      return verified({ ...made, evidence })
    }
    expect(await verified({ ...made, evidence: [genesis, bare] as never })).toEqual(refused('key_not_committed'))
    expect(await withReplacement({ events: [] })).toEqual(refused('no_standing'))
    expect(await withReplacement({ events: [...replacement!.events, ...replacement!.events] })).toEqual(
      refused('no_standing'),
    )
    const { cosigned } = replacement!
    const other = { ...cosigned, statement: { ...cosigned.statement, rotationId: 'a7'.repeat(48) } }
    expect(await withReplacement({ cosigned: other })).toEqual(refused('no_standing'))
    expect(await withReplacement({ requestedAt: replacement!.requestedAt - 1 })).toEqual(refused('not_in_log'))
  })

  it('is refused without the log entries of its request and its activation', async () => {
    const made = await replaced()
    expect(await verifyKeyHistory(made.evidence, alice.did, REALMS)).toEqual(refused('not_in_log'))
    for (const missing of [0, 1]) {
      expect(await verified(withProofs(made, (proof, i) => (i === missing ? null : proof)))).toEqual(
        refused('not_in_log'),
      )
      const undated = withProofs(made, (proof, i) => (i === missing ? { ...proof, map: null } : proof))
      expect(await verified(undated)).toEqual(refused('not_in_log'))
      const moved = withProofs(made, (proof, i) =>
        i === missing ? { ...proof, position: { ...proof.position, index: 0 } } : proof,
      )
      expect(await verified(moved)).toEqual(refused('not_in_log'))
    }
  })

  it('is dated by a map that includes it, not by an earlier map or another line', async () => {
    const made = await replaced()
    const [request, activation] = made.logged.proofs
    const before = withProofs(made, (proof, i) => (i === 1 ? { ...proof, map: request!.map } : proof))
    expect(await verified(before)).toEqual(refused('not_in_log'))
    const later = activation!.map!.leaf.replace(/"at":\d+/, '"at":1800000000000')
    const forged = withProofs(made, (proof, i) =>
      i === 1 ? { ...proof, map: { ...activation!.map!, leaf: later } } : proof,
    )
    expect(await verified(forged)).toEqual(refused('not_in_log'))
  })
})
