import { SetupError } from '@svc/platform/workspace'
import { bytesOf } from '@svc/protocol/base/base64url'
import { userIdOfKey } from '@svc/protocol/base/identity'
import type { Realms } from '@svc/protocol/base/realm'
import type { EpochKey } from '@svc/protocol/chain/chain'
import { type RotationRecord, rotationIdOf, type SignedRotationRequest } from '@svc/protocol/chain/rotation'
import { isRotationRequest } from '@svc/protocol/chain/rotation-verification'
import { verifyRotation } from '@svc/protocol/chain/succession'

/** What the operator is asked to approve, and what core shows about the identity. */
export interface ApprovalCase {
  readonly did: string
  readonly rotationId: string
  /** The root keys by epoch, verified from the DID. */
  readonly keys: readonly [EpochKey, ...EpochKey[]]
  /** What the request must be for. */
  readonly realms: Realms
  /** The newest rotation that core shows, with its signatures verified. */
  readonly shown: RotationRecord | null
  /** The signed request from a file, if the owner sent one. */
  readonly carried: SignedRotationRequest | null
}

export interface Approval {
  /** The `userId` of the key that the approval makes the root key. */
  readonly newUserId: string
  /** To be carried in the act; undefined if core has it. */
  readonly request: SignedRotationRequest | undefined
  readonly evidence: readonly string[]
  readonly warnings: readonly string[]
}

/**
 * Checks what an approval would do, and lists the evidence and the reasons to doubt. An approved rotation has no waiting
 * period and no veto, so this is the last check. Throws `SetupError` for a request that core would refuse, or that cannot
 * be shown.
 */
export async function examineApproval(about: ApprovalCase): Promise<Approval> {
  const { did, rotationId, keys, realms, shown, carried } = about
  const current = keys.at(-1) ?? keys[0]
  const request = requestOf(about)
  const { statement } = request
  if (rotationIdOf(statement) !== rotationId) throw new SetupError('The request has another rotationId.')
  if (statement.did !== did) throw new SetupError(`The request is for ${statement.did}.`)
  if (statement.version !== 1) throw new SetupError('Only version 1 takes an approval; this is version 2.')
  if (statement.epoch !== current.epoch + 1) {
    throw new SetupError(`The request is for epoch ${statement.epoch}, and the next is ${current.epoch + 1}.`)
  }
  if (!(await verifyRotation(request, bytesOf(current.publicKeyB64u), realms))) {
    throw new SetupError('The current root key and the new key did not both sign this request for this deployment.')
  }
  const newUserId = userIdOfKey(statement.newPublicKeyB64u)
  return {
    newUserId,
    request: carried === null ? undefined : request,
    evidence: [
      `Identity      ${did}`,
      `Root key now  epoch ${current.epoch}, userId ${current.userId}`,
      `New key       epoch ${statement.epoch}, userId ${newUserId}`,
      `Signed by     both keys, verified; dated ${timeOf(statement.issuedAt)} by the signer`,
      `Request from  ${carried === null ? 'core' : 'the file'}`,
      ...(shown ? [`Newest at core: ${describe(shown)}`] : ['Core shows no rotation of this identity.']),
    ],
    warnings: warningsOf(rotationId, shown),
  }
}

function requestOf({ rotationId, shown, carried }: ApprovalCase): SignedRotationRequest {
  if (carried !== null) return carried
  if (shown?.rotationId === rotationId && isRotationRequest(shown.request)) return shown.request
  throw new SetupError(`Core does not show the request ${rotationId}. Pass the signed request with --request FILE.`)
}

function describe({ rotationId, kind, version, status, requestedAt, deadline }: RotationRecord): string {
  const due = status === 'pending' && deadline !== null ? `, due ${timeOf(deadline)}` : ''
  return `${kind} ${rotationId.slice(0, 16)}…, version ${version}, ${status}, requested ${timeOf(requestedAt)}${due}`
}

/** What speaks against approving. The operator sees signatures, and a thief can hold every key that the owner holds. */
function warningsOf(rotationId: string, shown: RotationRecord | null): string[] {
  const warnings = ['The approval is final: there is no waiting period, and nobody can veto it.']
  if (shown === null) return warnings
  const isSame = shown.rotationId === rotationId
  for (const signer of new Set(shown.vetoes.map(({ statement }) => statement.signedBy))) {
    const who = signer === 'root' ? 'The current root key' : `The device ${signer}`
    const what = isSame ? 'this request' : `${shown.kind} ${shown.rotationId.slice(0, 16)}…`
    warnings.push(`${who} vetoed ${what}. Find out whether the owner or a thief did that.`)
  }
  if (isSame || shown.status !== 'pending') return warnings
  warnings.push(`The approval ends the pending ${shown.kind} ${shown.rotationId.slice(0, 16)}….`)
  if (shown.cosignatures > 0) {
    const devices = shown.cosigned.map(({ statement }) => statement.signedBy).join(', ')
    warnings.push(
      `That one is signed by the root key and co-signed by ${devices}. A thief with the root key alone cannot do that: the person who asks you for approval may be the thief.`,
    )
    if (shown.contestedAt !== null) {
      warnings.push(`A holder of the root key contested it; it is due ${timeOf(shown.deadline ?? shown.requestedAt)}.`)
    }
  }
  return warnings
}

function timeOf(time: number): string {
  return new Date(time).toISOString()
}
