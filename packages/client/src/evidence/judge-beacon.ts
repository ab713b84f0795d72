import { covers } from '#protocol/http/service-keys'
import { type Checkpoint, parseCheckpoint } from '#tlog/checkpoint'
import { base64Text, type Note, parseNote } from '#tlog/signed-note'
import { parseTlogProof, TLOG_PROOF, type TlogProof } from '#tlog/tlog-proof'
import { leafIn, signersOf } from '../beacon/read-beacon.ts'
import { unverified } from '../verification/verification-error.ts'
import { notFormed } from './form.ts'
import { beaconKeysOf, type Means } from './means.ts'
import { checked, unchecked, type Verdict, verdictOf } from './verdict/verdict.ts'

/**
 * A checkpoint of the beacon that somebody kept: a proof with its newest leaf, whose time decides which listed keys count,
 * or a signed note alone. The key that was passed is one of its verifier keys.
 */
export async function judgeBeacon(text: string, means: Means): Promise<Verdict> {
  const { proof, note, checkpoint } = parsed(text)
  const { origin: log, size, root } = checkpoint
  const subject = base64Text(root)
  const { logKeyB64u } = means
  const listed = logKeyB64u === null ? beaconKeysOf(means) : undefined
  if (logKeyB64u === null && !listed)
    return verdictOf('beacon', null, [unchecked('log_key')], { needs: 'log_key', subject })
  const at = proof?.extra ? leafIn(checkpoint, { ...proof, entry: proof.extra }).at : null
  const signed = await signersOf(note, listed?.map(({ verifierKey }) => verifierKey) ?? [logKeyB64u ?? ''])
  // Without a date, a key that has an end may have signed after it.
  const counts = ({ validFrom, validUntil }: NonNullable<typeof listed>[number]) =>
    at === null ? validUntil === null : covers({ validFrom, validUntil }, at)
  const isCounted = (one: string) => listed?.some((key) => key.verifierKey === one && counts(key)) ?? true
  const counted = signed.filter(isCounted)
  if (counted.length === 0 && signed.length > 0 && at === null)
    return verdictOf('beacon', null, [unchecked('beacon_date')], { needs: 'whole', subject })
  if (counted.length === 0)
    throw unverified('beacon', 'wrong_key', 'No expected key signed the checkpoint', { where: { log }, evidence: text })
  const checks = [
    checked('beacon', { log, size, count: counted.length }),
    ...(at === null ? [] : [checked('beacon_leaf', { at })]),
    unchecked('one_checkpoint'),
  ]
  return verdictOf('beacon', null, checks, { subject, at })
}

function parsed(text: string): { proof: TlogProof | null; note: Note; checkpoint: Checkpoint } {
  const isProof = text.startsWith(`${TLOG_PROOF}\n`)
  const proof = isProof ? parseTlogProof(text) : null
  const note = isProof && !proof ? null : parseNote(proof?.checkpoint ?? text)
  const checkpoint = note && parseCheckpoint(note.text)
  if (!note || !checkpoint) throw notFormed('')
  return { proof, note, checkpoint }
}
