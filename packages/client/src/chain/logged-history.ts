import * as z from 'zod'
import type { Realms } from '#protocol/base/realm'
import { type RootKeyEvidence, rotationIdOf } from '#protocol/chain/rotation'
import type { JudgeReplacement } from '#protocol/chain/rotation-verification'
import { labelProofSchema, leafIdOf } from '#protocol/keys/account-updates'
import { replacementJudge } from '#protocol/keys/replacement'
import { inclusionAnswerSchema, verifyUpdate } from '#protocol/keys/transparency'
import { type ListKeys, signedLogListSchema } from '#protocol/merkle/log-list'
import { verifyPinnedList } from '#protocol/merkle/log-list-chain'
import { readAnswer } from '../verification/read-answer.ts'
import { unverified } from '../verification/verification-error.ts'
import type { LoggedRotations } from './activations.ts'
import { openUpdates } from './logged-updates.ts'
import type { Activated } from './root-keys.ts'

const loggedSchema = /* @__PURE__ */ z.object({
  list: signedLogListSchema,
  labelProofB64u: labelProofSchema,
  proofs: z.array(inclusionAnswerSchema),
})

/** The log proofs that `client.keyHistory.logged` returns, and the keys of the log list from a source that you trust. */
export interface LoggedEvidence extends LoggedRotations {
  readonly listKeys: ListKeys
}

/** Saved entries of the directory's log, verified with the pinned keys of its list. */
export interface LoggedHistory {
  readonly judgeReplacement: JudgeReplacement
  readonly activationOf: (rotated: RootKeyEvidence) => Promise<Activated>
}

export async function openLogged(logged: LoggedEvidence, did: string, realms: Realms): Promise<LoggedHistory> {
  const { list: given, labelProofB64u, proofs: shown } = logged
  const opened = readAnswer(loggedSchema, { list: given, labelProofB64u, proofs: shown })
  const { list: signed } = opened
  // The list is verified as of its own date, because a newer one cannot be fetched offline.
  const list = await verifyPinnedList(signed, logged.listKeys, realms, signed.statement.issuedAt)
  if (!list.ok) throw unverified('logs', list.error.reason, 'The list of logs is not trusted', { evidence: signed })
  const updates = await openUpdates(opened, did)
  const { label, proofs } = updates
  return {
    judgeReplacement: replacementJudge(updates, realms),
    activationOf: async ({ request }) => {
      const statementHash = request ? rotationIdOf(request.statement) : ''
      const proof = proofs.find(({ leafId }) => leafId === leafIdOf(label, statementHash))
      const update = proof && { label, seq: proof.seq, statementHash }
      return update && (await verifyUpdate(update, proof, list.value, realms)).ok ? 'proved' : 'claimed'
    },
  }
}
