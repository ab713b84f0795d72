/**
 * Whether what somebody holds was compared. Evidence about a file says nothing about the file in somebody's hands until
 * the two were compared, and a reader takes "valid" for that file.
 *
 * @module
 */
import type { Kind } from '../detect/formats.ts'
import { type Check, type CheckName, type Need, unchecked, type Verdict, verdictOf } from './verdict.ts'

/** What is compared with the evidence: a file beside it, what was given itself, or nothing: it is about no file. */
const ABOUT: Readonly<Record<Kind, 'file' | 'given' | 'nothing'>> = {
  anchor: 'file',
  asset: 'nothing',
  beacon: 'nothing',
  capsule: 'file',
  chain: 'nothing',
  checkpoints: 'nothing',
  commitment: 'file',
  content: 'given',
  did: 'nothing',
  draft: 'nothing',
  export: 'nothing',
  hash: 'given',
  keys: 'nothing',
  message: 'file',
  notes: 'nothing',
  page: 'nothing',
  proof: 'file',
  receipt: 'nothing',
  sealed: 'nothing',
  stamp: 'file',
  statement: 'nothing',
}

/** Each of these says that a file, or what was given itself, is what the evidence is about. */
function isComparison({ check, result, found }: Check): boolean {
  if (result !== 'ok') return false
  return ['anchored_file', 'opening', 'signed_content', 'same_hash'].includes(check) || found['part'] === 'content_hash'
}

/** What a message without its content says, and an opening. */
const SAID: ReadonlySet<CheckName> = /* @__PURE__ */ new Set(['hash', 'opening'])

/** The verdict, which is valid only if what the person holds was compared. */
export function withComparison(kind: Kind, verdict: Verdict, file: Uint8Array | null): Verdict {
  const missing = missingOf(kind, verdict.checks, file)
  if (missing === null || verdict.verdict === 'unknown') return verdict
  const { did, checks, needs, ...about } = verdict
  // Some kinds say it in their own words.
  const isSaid = missing === 'file' && checks.some(({ check, result }) => result === 'unchecked' && SAID.has(check))
  const open = isSaid ? [] : [unchecked(missing === 'file' ? 'file' : 'other_file')]
  return verdictOf(verdict.kind, did, [...checks, ...open], { ...about, needs: needs ?? missing })
}

function missingOf(kind: Kind, checks: readonly Check[], file: Uint8Array | null): Need | null {
  const about = ABOUT[kind]
  // A file of content is compared with what is registered; another one beside it is compared with nothing.
  if (file && (about === 'nothing' || kind === 'content')) return 'no_file'
  return about === 'nothing' || checks.some(isComparison) ? null : 'file'
}
