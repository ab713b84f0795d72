import { codeHash, issuedCodePattern } from '@svc/protocol/pay/codes'
import { expect, it } from 'vitest'
import {
  codeWithdrawalAct,
  deadLetterAct,
  epochAct,
  epochWithdrawalAct,
  inviteAct,
  licenceAct,
  newCode,
  readAct,
  rollAct,
  settleAct,
  takedownAct,
} from './operator-act.ts'

it('every code is new, and its act carries only the hash', () => {
  const [first, second] = [newCode('notes', 30), newCode('notes', 30)]
  expect(first.code).toMatch(issuedCodePattern)
  expect(first.code).not.toBe(second.code)
  const { code, act } = first
  expect(act).toEqual({
    type: 'svc/operator-entitlement-code/v1',
    service: 'pay',
    members: {
      codeHash: codeHash(code),
      tier: 'notes',
      redeemableUntil: expect.any(Number),
      days: 30,
    },
  })
  expect(JSON.stringify(act)).not.toContain(code)
})

const CID = 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'
const ORG = `did:svc:${'A'.repeat(32)}`

it.each([
  ['licence', 'licence'],
  ['plan', 'organization'],
])('a %s is granted for a number of days, and revoked', (name, source) => {
  const act = { type: 'svc/operator-licence/v1', service: 'pay' }
  expect(licenceAct([`grant-${name}`, ORG, 'atelier', '30'], 1000)).toEqual({
    ...act,
    members: { did: ORG, source, action: 'grant', tier: 'atelier', expiresAt: 2_592_001_000 },
  })
  expect(licenceAct([`revoke-${name}`, ORG], 1000)).toEqual({
    ...act,
    members: { did: ORG, source, action: 'revoke', tier: null, expiresAt: null },
  })
})

it.each([
  [],
  ['grant-licence'],
  ['grant-licence', ORG],
  ['grant-licence', ORG, '30'],
  ['grant-licence', ORG, 'city', '30'],
  ['grant-licence', ORG, 'atelier', '0'],
  ['grant-plan', ORG, 'atelier', '-1'],
  ['grant-plan', 'did:web:x', 'atelier', '30'],
  ['revoke-plan', 'x'],
  ['revoke-code', ORG],
])('no licence is granted or revoked by %j', (...operands) => {
  expect(licenceAct(operands, 0)).toBeNull()
})

it('an epoch opens now, for a number of hours', () => {
  const members = { epoch: 3, opensAt: 1000, closesAt: 7_201_000 }
  expect(epochAct(['3', '2'], 1000)).toEqual({ type: 'svc/operator-epoch/v1', service: 'keys', members })
  for (const operands of [[], ['3'], ['0', '1'], ['1', '0'], ['1', '0.0'], ['x', '1'], ['1', '-1'], ['1', '.5']]) {
    expect(epochAct(operands, 1000)).toBeNull()
  }
  expect(epochAct(['3', '0.05'], 1000)?.members).toMatchObject({ closesAt: 181_000 })
})

it('an epoch lasts at most a year, and a licence ten', () => {
  expect(epochAct(['3', '8784'], 0)).not.toBeNull()
  expect(epochAct(['3', '8785'], 0)).toBeNull()
  expect(licenceAct(['grant-licence', ORG, 'atelier', '3660'], 0)).not.toBeNull()
  expect(licenceAct(['grant-licence', ORG, 'atelier', '3661'], 0)).toBeNull()
})

it('an epoch is withdrawn by its number, also a mistyped one', () => {
  const act = { type: 'svc/operator-epoch-withdraw/v1', service: 'keys', members: { epoch: 30_000_000_000 } }
  expect(epochWithdrawalAct('30000000000')).toEqual(act)
  for (const number of [undefined, '', '0', '-1', '1.5', 'x']) expect(epochWithdrawalAct(number)).toBeNull()
})

it('a code is withdrawn by itself, as it may be typed, or by its hash', () => {
  const { code, act } = newCode('atelier', 30, 0)
  const members = { codeHash: codeHash(code) }
  expect(act.members).toMatchObject(members)
  const withdrawal = { type: 'svc/operator-entitlement-code-withdraw/v1', service: 'pay', members }
  for (const typed of [code, code.replaceAll('-', ' ').toLowerCase(), members.codeHash]) {
    expect(codeWithdrawalAct(typed)).toEqual(withdrawal)
  }
  for (const typed of [undefined, '', 'code', members.codeHash.slice(1)]) expect(codeWithdrawalAct(typed)).toBeNull()
})

it('a log goes on in one of its series', () => {
  const name = (series: string, period: string) => `https://core.example/${series}/${period}`
  const [log, next] = [name('transparency', '2027a'), name('transparency', '2027b')]
  const act = {
    type: 'svc/operator-roll-log/v1',
    service: 'keys',
    members: { log, next: { log: next, keyVersion: 1 } },
  }
  expect(rollAct([log, next])).toEqual(act)
  expect(rollAct([log, next, '2'])?.members).toEqual({ log, next: { log: next, keyVersion: 2 } })
  expect(rollAct([name('anchors', '2027a'), name('anchors', '2027b')])?.service).toBe('core')
  for (const operands of [[], [log], [log, log], [log, name('anchors', '2027b')], [log, next, '0'], [log, '2027b']])
    expect(rollAct(operands)).toBeNull()
})

it('an identifier passes to another creator for a reason that is listed', () => {
  const hash = 'an identifier of content'
  const members = { contentHash: hash, creatorDid: ORG, reason: 'authorship' }
  const act = { type: 'svc/operator-consent-settle/v1', service: 'consent', members }
  expect(settleAct([hash, ORG, 'authorship'])).toEqual(act)
  for (const operands of [
    [],
    [hash],
    [hash, ORG],
    [hash, ORG, 'because'],
    ['short', ORG, 'authorship'],
    [hash, 'x', 'mistake'],
  ]) {
    expect(settleAct(operands)).toBeNull()
  }
})

it('an asset is taken down at provenance, for a reason that is listed', () => {
  const id = `text-${'5b'.repeat(16)}`
  const members = { subject: { kind: 'text', id }, reason: 'legal' }
  const act = { type: 'svc/operator-takedown/v1', service: 'provenance', members }
  expect(takedownAct(['provenance', 'text', id, 'legal'])).toEqual(act)
  expect(takedownAct(['core', 'pin', CID, 'abuse'])).toMatchObject({ service: 'core' })
  expect(takedownAct(['provenance', 'keypoints', 'a7'.repeat(48), 'abuse'])).toMatchObject({ service: 'provenance' })
  for (const operands of [
    [],
    ['core', 'text', id, 'legal'],
    ['provenance', 'capsule', id, 'legal'],
    ['provenance', 'text', 'x', 'legal'],
    ['provenance', 'text', id, 'because'],
    ['provenance', 'pin', CID, 'legal'],
    ['core', 'keypoints', 'a7'.repeat(48), 'legal'],
  ]) {
    expect(takedownAct(operands)).toBeNull()
  }
})

it('dead letters are listed on their own route, and decided one by one', () => {
  const list = { type: 'svc/operator-dead-letters/v1', service: 'pay', path: '/api/operator/dead-letters' }
  expect(deadLetterAct(['dead-letters'])).toEqual({ ...list, members: { after: 0 } })
  expect(deadLetterAct(['dead-letters', '50'])).toEqual({ ...list, members: { after: 50 } })
  const decision = { type: 'svc/operator-dead-letter/v1', service: 'pay' }
  for (const action of ['replay', 'dismiss']) {
    expect(deadLetterAct([`${action}-event`, 'evt_1'])).toEqual({ ...decision, members: { eventId: 'evt_1', action } })
  }
  for (const operands of [[], ['replay-event'], ['dead-letters', 'x'], ['evt_1']]) {
    expect(deadLetterAct(operands)).toBe(null)
  }
})

it('requests for an invitation are decided by their id, with what an approval gives', () => {
  const id = '0123456789abcdef'
  const approve = { type: 'svc/operator-invite-approve/v1', service: 'core' }
  expect(inviteAct(['approve', id])).toEqual({ ...approve, members: { inviteId: id, tier: 'provenance', days: 90 } })
  const terms = { inviteId: id, tier: 'atelier', days: 365 }
  expect(inviteAct(['approve', id, 'atelier', '365'])).toEqual({ ...approve, members: terms })
  const decline = { type: 'svc/operator-invite-decline/v1', service: 'core' }
  expect(inviteAct(['decline', id])).toEqual({ ...decline, members: { inviteId: id, mail: false } })
  expect(inviteAct(['decline', id], true)).toEqual({ ...decline, members: { inviteId: id, mail: true } })
  const forget = { type: 'svc/operator-invite-forget/v1', service: 'core' }
  expect(inviteAct(['forget', id])).toEqual({ ...forget, members: { inviteId: id } })
  for (const operands of [
    [],
    ['approve'],
    ['approve', '7'],
    ['approve', 'ada@example.org'],
    ['approve', id.toUpperCase()],
    ['approve', id, 'atelier'],
    ['approve', id, 'gold', '30'],
    ['approve', id, 'atelier', '0'],
    ['approve', id, 'atelier', '30', 'more'],
    ['decline', id, 'atelier', '30'],
    ['forget'],
    ['remove', id],
  ]) {
    expect(inviteAct(operands)).toBeNull()
  }
  expect(inviteAct(['approve', id], true)).toBeNull()
  expect(inviteAct(['forget', id], true)).toBeNull()
})

it('disputes, takedowns and invites are listed on routes of their own', () => {
  const disputes = { type: 'svc/operator-disputes/v1', service: 'consent', path: '/api/operator/disputes' }
  expect(readAct(['disputes', 'list'])).toEqual({ ...disputes, members: { after: null } })
  expect(readAct(['disputes', 'list', 'a hash of sixteen'])).toEqual({
    ...disputes,
    members: { after: 'a hash of sixteen' },
  })
  for (const service of ['core', 'provenance']) {
    const takedowns = { type: 'svc/operator-takedowns/v1', service, path: '/api/operator/takedowns' }
    expect(readAct(['takedowns', 'list', service])).toEqual({ ...takedowns, members: { after: 0 } })
    expect(readAct(['takedowns', 'list', service, '100'])).toEqual({ ...takedowns, members: { after: 100 } })
  }
  const invites = { type: 'svc/operator-invites/v1', service: 'core', path: '/api/operator/invites' }
  expect(readAct(['invites', 'list', '7'])).toEqual({ ...invites, members: { after: 7 } })
  const grants = { type: 'svc/operator-grants/v1', service: 'pay', path: '/api/operator/grants' }
  expect(readAct(['grants', 'list', ORG])).toEqual({ ...grants, members: { did: ORG } })
  const [id, other] = [`text-${'a'.repeat(32)}`, `text-${'b'.repeat(32)}`]
  const texts = { type: 'svc/operator-texts/v1', service: 'provenance', path: '/api/operator/texts' }
  expect(readAct(['texts', 'list', id])).toEqual({ ...texts, members: { assetId: id, after: null } })
  expect(readAct(['texts', 'list', id, other])).toEqual({ ...texts, members: { assetId: id, after: other } })
  for (const operands of [
    [],
    ['texts', 'list'],
    ['texts', 'list', id, 'x'],
    ['grants', 'list'],
    ['grants', 'list', 'x'],
    ['disputes'],
    ['disputes', 'list', 'short'],
    ['takedowns', 'list'],
    ['takedowns', 'list', 'pay'],
    ['invites', 'list', 'x'],
    ['letters', 'list'],
  ]) {
    expect(readAct(operands)).toBeNull()
  }
})
