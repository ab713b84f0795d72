import { Client, Identity } from '@svc/client'
import type { RotationRecord } from '@svc/protocol/chain/rotation'
import { rotationIdOf, type SignedRotationRequest } from '@svc/protocol/chain/rotation'
import { expect, it } from 'vitest'
import { type ApprovalCase, examineApproval } from './approval.ts'

const identity = await Identity.create()
const { rotation, realm, realms } = new Client({ core: 'https://core.example', did: 'https://did.example', identity })
const successor = await identity.successor()
const request = await rotation.makeRequest(successor, { version: 1 })
const rotationId = rotationIdOf(request.statement)
const phone = 'p'.repeat(32)
const NOW = 1_790_000_000_000

const about = { realm, did: identity.did, scope: identity.scope, rotationId, issuedAt: NOW }
const signed = <T extends string>(type: T, signedBy: string, id = rotationId) => ({
  statement: { type, ...about, rotationId: id, signedBy },
  signatureB64u: '',
})

function recordOf(changes: Partial<RotationRecord> = {}): RotationRecord {
  return {
    rotationId,
    kind: 'rotation',
    status: 'pending',
    basis: 'root',
    version: 1,
    epoch: 1,
    newUserId: successor.userId,
    requestedAt: NOW,
    deadline: null,
    contestedAt: null,
    requiredCosigners: 0,
    cosignatures: 0,
    freezes: 0,
    cancels: 0,
    approvedAt: null,
    activatedAt: null,
    request,
    cosigned: [],
    vetoes: [],
    approval: null,
    ...changes,
  }
}

function caseOf(changes: Partial<ApprovalCase> = {}): ApprovalCase {
  const { publicKeyB64u, userId } = identity
  return {
    did: identity.did,
    rotationId,
    realms,
    keys: [{ epoch: 0, userId, publicKeyB64u }],
    shown: recordOf(),
    carried: null,
    ...changes,
  }
}

it('a pending request is shown with its keys, and the only warning is that approval is final', async () => {
  const { newUserId, request: carried, evidence, warnings } = await examineApproval(caseOf())
  expect(newUserId).toBe(successor.userId)
  expect(carried).toBeUndefined()
  expect(evidence.join('\n')).toContain(identity.userId)
  expect(evidence.join('\n')).toContain(successor.userId)
  expect(warnings).toEqual([expect.stringContaining('nobody can veto it')])
})

it('a request from a file is carried in the act', async () => {
  const { request: carried, evidence } = await examineApproval(caseOf({ shown: null, carried: request }))
  expect(carried).toEqual(request)
  expect(evidence).toContain('Request from  the file')
})

it('a veto of the request is a warning that names who signed it', async () => {
  const vetoes = [signed('svc/rotation-freeze/v1', 'root'), signed('svc/rotation-freeze/v1', phone)]
  const shown = recordOf({ status: 'frozen', vetoes } as unknown as RotationRecord)
  const { warnings } = await examineApproval(caseOf({ shown }))
  expect(warnings.slice(1)).toEqual([
    'The current root key vetoed this request. Find out whether the owner or a thief did that.',
    `The device ${phone} vetoed this request. Find out whether the owner or a thief did that.`,
  ])
})

it('a pending rotation that a device co-signed is the strongest warning: approving for a thief ends it', async () => {
  const other = await rotation.makeRequest(await identity.successor(), { version: 2 })
  const id = rotationIdOf(other.statement)
  const cosigned = [signed('svc/rotation-cosign/v1', phone, id)]
  const shown = recordOf({
    rotationId: id,
    request: other,
    version: 2,
    deadline: NOW + 604_800_000,
    contestedAt: NOW + 1,
    cosignatures: 1,
    cosigned,
  } as unknown as RotationRecord)
  const { warnings } = await examineApproval(caseOf({ shown, carried: request }))
  expect(warnings[1]).toContain(`ends the pending rotation ${id.slice(0, 16)}`)
  expect(warnings[2]).toContain(`co-signed by ${phone}`)
  expect(warnings[2]).toContain('may be the thief')
  expect(warnings[3]).toContain(new Date(NOW + 604_800_000).toISOString())
})

it.each<[string, () => Promise<Partial<ApprovalCase>>, string]>([
  ['core shows another one', async () => ({ rotationId: 'ab'.repeat(48) }), 'Pass the signed request with --request'],
  ['the file has another one', async () => ({ rotationId: 'ab'.repeat(48), carried: request }), 'another rotationId'],
  ['it is for another identity', async () => ({ did: (await Identity.create()).did }), 'The request is for'],
  ['another key is the root', async () => ({ keys: await keysOf(await Identity.create(), 0) }), 'did not both sign'],
  ['its epoch has passed', async () => ({ keys: await keysOf(identity, 1) }), 'the next is 2'],
  ['the new key did not sign', async () => ({ carried: await withBadSignature() }), 'did not both sign'],
  ['it is version 2', async () => versionTwo(), 'Only version 1'],
])('is refused before anything is signed when %s', async (_, changes, message) => {
  await expect(examineApproval(caseOf(await changes()))).rejects.toThrow(message)
})

async function keysOf({ userId, publicKeyB64u }: Identity, epoch: number): Promise<ApprovalCase['keys']> {
  return [{ epoch, userId, publicKeyB64u }]
}

async function withBadSignature(): Promise<SignedRotationRequest> {
  return { ...request, newKeySignatureB64u: request.signatureB64u ?? '' }
}

async function versionTwo(): Promise<Partial<ApprovalCase>> {
  const carried = await rotation.makeRequest(successor, { version: 2 })
  return { carried, rotationId: rotationIdOf(carried.statement) }
}
