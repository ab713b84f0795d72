import type { SignerState } from '#protocol/devices/signer-standing'
import type { Kind } from '../detect/formats.ts'

/** What a check looked at. With its result, it stands for one sentence that a program shows. */
export type CheckName =
  | 'act'
  | 'act_key'
  | 'activation'
  | 'anchor_root'
  | 'anchor_status'
  | 'anchored_by'
  | 'anchored_file'
  | 'approval'
  | 'archive'
  | 'audience'
  | 'beacon'
  | 'beacon_date'
  | 'beacon_leaf'
  | 'blocks'
  | 'capsule_key'
  | 'commitment'
  | 'consent'
  | 'consent_device'
  | 'cosigned'
  | 'device_key'
  | 'devices'
  | 'document'
  | 'draft'
  | 'evidence'
  | 'extension'
  | 'file'
  | 'form'
  | 'former'
  | 'gap'
  | 'hash'
  | 'head'
  | 'in_log'
  | 'log_key'
  | 'manifest'
  | 'message_key'
  | 'minter'
  | 'new_key'
  | 'more_anchors'
  | 'newest_key'
  | 'one_checkpoint'
  | 'one_log'
  | 'other_file'
  | 'opening'
  | 'order'
  | 'owner'
  | 'proof'
  | 'public_record'
  | 'record_keys'
  | 'records'
  | 'recovery'
  | 'registration'
  | 'replaced_key'
  | 'root_key'
  | 'root_keys'
  | 'same_hash'
  | 'same_root'
  | 'sealed'
  | 'service_key'
  | 'signatures'
  | 'signer'
  | 'signed'
  | 'signed_content'
  | 'stamp'
  | 'statement'
  | 'transfers'

/** One thing that was looked at. */
export interface Check {
  readonly check: CheckName
  /** `unchecked`: nothing speaks against it, and nothing here proves it. `refuted`: it does not hold. */
  readonly result: 'ok' | 'unchecked' | 'refuted'
  /** What was found, by name: counts, hashes, ids, times as epoch ms. */
  readonly found: Readonly<Record<string, string | number>>
}

/**
 * What is missing to decide: whose it must be, its deployment, the content, an answer of the services, a key history, the
 * key of a log, the key of a service, a complete anchor bundle in the current format, the recipient, or the whole that it is
 * part of. `no_file`: the given file is not what this evidence is about, so it was not compared.
 */
export const NEEDS = [
  'did',
  'realm',
  'file',
  'network',
  'key_history',
  'log_key',
  'service_key',
  'upgrade',
  'owner',
  'whole',
  'no_file',
] as const
export type Need = (typeof NEEDS)[number]

/**
 * What shows whether it was signed before its key ended. `inception`: the event of the inception log that it names.
 * `chain`, `history`, `export`: the chain, the history of a consent, or the export of an asset that includes it. `log`:
 * a log with the time at which the service accepted it. `unknown`: nothing that was available here.
 */
export const ORDERS = ['inception', 'chain', 'history', 'export', 'log', 'unknown'] as const
export type Order = (typeof ORDERS)[number]

export interface Verdict {
  readonly kind: Kind
  /**
   * `valid` only if what the person holds was compared: the file that the evidence is about, or the evidence itself where
   * it is about no file. `unknown`: nobody has registered or anchored it. `invalid`: of `judgeAll`; `judge` throws.
   */
  readonly verdict: 'valid' | 'undecided' | 'unknown' | 'invalid'
  /** Whose it is; null if nobody's, or of several: `anchored_by` names them. */
  readonly did: string | null
  /** What it commits to: a hash, or an id of content; null if that does not fit in one line. */
  readonly subject: string | null
  /**
   * When it existed, epoch ms. For an anchor: the time of the witnesses if `cosigned` is proved, otherwise the time of the
   * log. For a checkpoint: the time of the log. For anything else: the time of its signer.
   */
  readonly at: number | null
  /** All of them, in the order in which they were made. */
  readonly checks: readonly Check[]
  readonly proved: readonly Check[]
  readonly refuted: readonly Check[]
  /** What nothing here proves or refutes, such as a file that was not given. */
  readonly notCompared: readonly Check[]
  readonly needs: Need | null
  /** What the key that signed it is today; null where nobody who knows was asked, and for what no identity signs. */
  readonly signer: SignerState | null
  /** Null for what no identity signs. */
  readonly order: Order | null
}

type Found = Check['found']
export const checked = (check: CheckName, found: Found = {}): Check => ({ check, result: 'ok', found })
/** What was thrown for it, with its reason and message. */
export const refutedBy = (found: Found): Check => ({ check: 'evidence', result: 'refuted', found })
export const unchecked = (check: CheckName, found: Found = {}): Check => ({ check, result: 'unchecked', found })

/** What is told of a signing key. Of an active one, what came first decides nothing. */
export function signerChecks({ signer, order }: Pick<Verdict, 'signer' | 'order'>): readonly Check[] {
  return [
    ...(signer === null ? [] : [checked('signer', { signer })]),
    ...(order === 'unknown' && signer !== 'active' ? [unchecked('order')] : []),
  ]
}

/** A verdict of its checks: valid if nothing is needed to decide it. */
export function verdictOf(
  kind: Kind,
  did: string | null,
  checks: readonly Check[],
  {
    needs = null,
    subject = null,
    at = null,
    signer = null,
    order = null,
  }: Partial<Pick<Verdict, 'needs' | 'subject' | 'at' | 'signer' | 'order'>> = {},
): Verdict {
  const of = (result: Check['result']) => checks.filter((one) => one.result === result)
  const [proved, refuted, notCompared] = [of('ok'), of('refuted'), of('unchecked')]
  const verdict = refuted.length > 0 ? 'invalid' : needs === null ? 'valid' : 'undecided'
  return { kind, verdict, did, subject, at, checks, proved, refuted, notCompared, needs, signer, order }
}
