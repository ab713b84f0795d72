import type { RootAnswer } from '@svc/protocol/chain/api'
import type { RotationSummary } from '@svc/protocol/chain/rotation'
import { describe, expect, it } from 'vitest'
import { NO_COMMITMENT } from '#protocol/chain/commitment'
import { REALM } from '../../test/realm.ts'
import { Identity } from '../identity/identity.ts'
import { idsOf, type KeptRecovery, keptKeys } from './kept-recovery.ts'
import { statusOf } from './stage.ts'
import type { RecoveryAct, RecoveryStage } from './steps.ts'

const NOW = 1_790_000_000_000
const LATER = NOW + 1
const alice = await Identity.create()
const { kept, successor } = await alice.prepareRecovery({ realm: REALM, now: NOW })
const { kept: withOperator } = await alice.prepareRecovery({ realm: REALM, now: NOW, version: 1 })
const { kept: withDevice } = await alice.prepareRecovery({ realm: REALM, now: NOW, version: 2 })
const [second, first] = idsOf(kept)
const other = await alice.successor()

function rootOf(members: Partial<RootAnswer>, rotation: Partial<RotationSummary> | null = null): RootAnswer {
  const { did, scope, userId, publicKeyB64u, epoch } = alice
  const summary: RotationSummary = {
    rotationId: 'a7'.repeat(48),
    kind: 'rotation',
    status: 'pending',
    basis: 'root',
    version: 2,
    epoch: 1,
    newUserId: other.userId,
    requestedAt: NOW,
    deadline: LATER,
    contestedAt: null,
    requiredCosigners: 1,
    cosignatures: 0,
    freezes: 0,
    cancels: 0,
    approvedAt: null,
    activatedAt: null,
  }
  const commitment = NO_COMMITMENT
  const answer = { did, scope, userId, publicKeyB64u, epoch, commitment, disputed: false, deactivated: false }
  return { ...answer, ...members, rotation: rotation && { ...summary, ...rotation } }
}
const seen = (of: KeptRecovery, root: RootAnswer) => statusOf(of, root, { ids: idsOf(of), now: NOW })
const mine = { rotationId: second! }
const alone = { ...mine, requiredCosigners: 0 }
const byOperator = { rotationId: first!, version: 1, deadline: null } as const

describe('the stage of a recovery', () => {
  it.each<[string, RootAnswer, RecoveryStage, RecoveryAct, number | null]>([
    ['is open at first', rootOf({}), 'ready', 'start', null],
    ['is open beside what it can displace', rootOf({}, {}), 'ready', 'start', null],
    ['is open after another one ended', rootOf({}, { status: 'frozen' }), 'ready', 'start', null],
    ['is blocked by a co-signature', rootOf({}, { cosignatures: 1 }), 'blocked', 'contest', LATER],
    ['is blocked by an approval', rootOf({}, { version: 1, approvedAt: NOW }), 'blocked', 'none', null],
    ['is open to vetoes until co-signed', rootOf({}, mine), 'opened', 'start', null],
    ['waits for its deadline', rootOf({}, { ...mine, cosignatures: 1 }), 'waiting', 'finish', LATER],
    [
      'waits longer if contested',
      rootOf({}, { ...mine, cosignatures: 1, contestedAt: NOW }),
      'contested',
      'finish',
      LATER,
    ],
    ['is due at its deadline', rootOf({}, { ...mine, cosignatures: 1, deadline: NOW }), 'due', 'finish', null],
    [
      'is due without a co-signer where none is required',
      rootOf({}, { ...alone, deadline: NOW }),
      'due',
      'finish',
      null,
    ],
    ['waits for its deadline where none is required', rootOf({}, alone), 'opened', 'finish', LATER],
    ['is stopped without a co-signature', rootOf({}, { ...mine, status: 'cancelled' }), 'stopped', 'start', null],
    ['is stopped by a device', rootOf({}, { ...mine, status: 'frozen', cosignatures: 1 }), 'stopped', 'operator', null],
    ['waits for the operator', rootOf({}, byOperator), 'opened', 'operator', null],
    ['is due when approved', rootOf({}, { ...byOperator, approvedAt: NOW }), 'due', 'finish', null],
    [
      'goes on with a device if version 1 was stopped',
      rootOf({}, { ...byOperator, status: 'frozen' }),
      'stopped',
      'start',
      null,
    ],
    ['is done with the new key', rootOf({ epoch: 1, userId: successor.userId }), 'done', 'continue', null],
    ['is void with another key', rootOf({ epoch: 1, userId: other.userId }), 'void', 'none', null],
    ['is void after a second rotation', rootOf({ epoch: 2, userId: successor.userId }), 'void', 'none', null],
    ['is void after a deactivation', rootOf({ deactivated: true }), 'void', 'none', null],
  ])('%s', (_, root, stage, act, at) => {
    expect(seen(kept, root)).toMatchObject({ stage, next: { act, at } })
  })

  it('depends on what is kept', () => {
    expect(seen(withOperator, rootOf({})).next.act).toBe('operator')
    const frozen = rootOf({}, { rotationId: idsOf(withDevice)[0]!, status: 'frozen', cosignatures: 1 })
    expect(seen(withDevice, frozen)).toMatchObject({ stage: 'stopped', next: { act: 'none' } })
    expect(seen(withDevice, rootOf({})).summary).toBe('The recovery can be started.')
  })
})

describe('what is kept', () => {
  it('has no secrets, and requests of both versions unless told', () => {
    const text = JSON.stringify(kept)
    const { signing, kem } = successor.revealSeeds()
    for (const seed of [signing, kem]) expect(text).not.toContain(Buffer.from(seed).toString('base64url'))
    expect(kept.requests.map(({ statement }) => statement.version)).toEqual([2, 1])
    expect(withDevice.requests.map(({ statement }) => statement.version)).toEqual([2])
    expect(kept).toMatchObject({ did: alice.did, epoch: 1 })
    expect(keptKeys(kept)).toEqual([successor.publicKeyB64u])
  })
})
