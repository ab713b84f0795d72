import { parseCheckpoint } from '#tlog/checkpoint'
import { base64Text, parseNote } from '#tlog/signed-note'
import { signersOf } from '../beacon/read-beacon.ts'
import { unverified } from '../verification/verification-error.ts'
import { notFormed } from './form.ts'
import type { Means } from './means.ts'
import { checked, unchecked, type Verdict, verdictOf } from './verdict/verdict.ts'

/** A checkpoint of the beacon that somebody kept: a signed note. The key that was passed is one of its verifier keys. */
export async function judgeBeacon(text: string, { logKeyB64u, beaconKeys }: Means): Promise<Verdict> {
  const note = parseNote(text)
  const checkpoint = note && parseCheckpoint(note.text)
  if (!note || !checkpoint) throw notFormed('')
  const { origin: log, size, root } = checkpoint
  const subject = base64Text(root)
  const keys = logKeyB64u === null ? await beaconKeys?.() : [logKeyB64u]
  if (!keys) return verdictOf('beacon', null, [unchecked('log_key')], { needs: 'log_key', subject })
  const signed = await signersOf(note, keys)
  if (signed.length === 0)
    throw unverified('beacon', 'wrong_key', 'No expected key signed the checkpoint', { where: { log }, evidence: text })
  const checks = [
    checked('beacon', { log, size, count: signed.length }),
    ...(logKeyB64u === null ? [unchecked('shown_key')] : []),
    unchecked('one_checkpoint'),
  ]
  return verdictOf('beacon', null, checks, { subject })
}
