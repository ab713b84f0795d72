import * as z from 'zod'
import { pure } from '#protocol/base/pure'
import { type AssetEvents, type OwnerProof, type ProofContext, proveOwner } from '#protocol/ledger/asset-proof'
import { assetRecordSchema, assetTransferEventSchema } from '#protocol/ledger/assets'
import { checkCall } from '../arguments/check.ts'
import { readAnswer } from '../verification/read-answer.ts'
import { safely, type Verified } from '../verification/safe.ts'
import { unverified } from '../verification/verification-error.ts'

const eventsSchema = /* @__PURE__ */ pure(() =>
  z.looseObject({ record: assetRecordSchema, transfers: z.array(assetTransferEventSchema) }),
)

/** An owner that signatures prove. */
export type ProvedOwner = Extract<OwnerProof, { readonly owner: 'proved' }>

/**
 * Verifies an export without asking anybody but `rootKeysOf`, which is called for identities that signed with a key of a
 * later epoch. Throws a `VerificationError` if the signatures do not prove the owner.
 */
export async function verifyAsset(events: AssetEvents, context: ProofContext): Promise<ProvedOwner> {
  checkCall('verifyAsset', [events, context], ['events', ['context', { realms: 1, rootKeysOf: 1 }]])
  const proof = await proveOwner(readAnswer(eventsSchema, events), context)
  if (proof.owner === 'proved') return proof
  const { reason, position } = proof
  throw unverified('asset', reason, `Nothing proves that the asset belongs to ${proof.did}: ${reason}`, {
    where: position === undefined ? {} : { position },
    evidence: events,
  })
}

/** `verifyAsset` as a result. */
export function safeVerifyAsset(...given: Parameters<typeof verifyAsset>): Promise<Verified<ProvedOwner>> {
  return safely(() => verifyAsset(...given))
}
