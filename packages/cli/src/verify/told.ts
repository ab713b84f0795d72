import type { Check, Need, Verdict } from '#client/evidence'
import { CliError, usage } from '../cli-error.ts'
import { unresolved } from '../did/unresolved.ts'
import { EXIT } from '../exit-codes.ts'
import { HASH_A_FILE } from './other-hashes.ts'
import { SENTENCES } from './sentences.ts'

export interface ToldCheck {
  readonly check: string
  readonly detail: string
}

/** A verdict in words. What is refuted is a failure instead. */
export interface Told {
  readonly kind: Verdict['kind']
  readonly verdict: 'valid' | 'undecided'
  readonly did: string | null
  /** What the key that signed it is today. */
  readonly signer: Verdict['signer']
  readonly order: Verdict['order']
  readonly proved: readonly ToldCheck[]
  readonly notCompared: readonly ToldCheck[]
  /** What is missing, as the headline says it; null if nothing is. */
  readonly missing: string | null
  /** What to do to decide the rest; null if there is nothing. */
  readonly next: string | null
}

const words = (text: unknown) => String(text).replaceAll('_', ' ')

const NEXT: Record<Exclude<Need, 'did' | 'realm'>, string> = {
  file: 'pass the file with --file: nothing here says that yours is the one',
  no_file: 'leave out --file, or pass the evidence that is about that file',
  key_history: 'verify it once without --offline and with --evidence FILE: a replaced root key needs its history',
  log_key:
    'run it without --offline, or pass --log-key from another source: the logs that svc init pinned do not include this one',
  owner: 'only the person who has the key can open it; nothing in it can be verified without that key',
  network: 'run it without --offline, or pass a proof with this file as --file',
  service_key: 'run it without --offline, or after svc init, which pins the keys of the services',
  upgrade: 'svc anchor upgrade',
  whole: 'pass it to the command that goes on with it; what that makes can be verified',
}

const MISSING: Record<Exclude<Need, 'did' | 'realm'>, string> = {
  file: 'the file was not compared',
  no_file: 'the file was not compared, because this is not about a file',
  key_history: 'the history of the keys is missing',
  log_key: 'the key of the log is missing',
  owner: 'only its owner can open it',
  network: 'nobody was asked',
  service_key: 'the keys of the services are missing',
  upgrade: 'it has no proof of today’s form',
  whole: 'what it is a part of is missing',
}

/** Throws where something must be typed for it, and where nothing is registered. */
export function told({ kind, verdict, did, checks, needs, subject, ...found }: Verdict): Told {
  if (needs === 'did') throw usage('This needs the DID that it must be of', 'pass --did')
  if (needs === 'realm') throw usage('This needs the deployment that it must be for', 'pass --realm')
  if (verdict === 'unknown') throw unknown(kind, subject ?? '')
  const document = kind === 'did' ? checks.find(({ check }) => check === 'document') : undefined
  if (document?.result === 'unchecked') throw unresolved(did ?? '', String(document.found['error'] ?? ''))
  if (verdict === 'invalid') throw new TypeError('What is refuted is thrown')
  const next = needs === null ? null : NEXT[needs]
  const missing = needs === null ? null : MISSING[needs]
  const { signer, order } = found
  const [proved, notCompared] = [found.proved.map(inWords), found.notCompared.map(inWords)]
  return { kind, verdict, did, signer, order, proved, notCompared, missing, next }
}

function inWords({ check, result, found }: Check): ToldCheck {
  const { part, strength, gap } = found
  if (check === 'gap') return { check: 'not proved', detail: words(gap) }
  if (check === 'proof') {
    return { check: words(part), detail: result === 'ok' ? 'verified here' : `on the word of: ${strength}` }
  }
  const sentences = result === 'ok' ? SENTENCES.ok : SENTENCES.unchecked
  const [name, detail] = sentences[check] ?? [words(check), () => '']
  return { check: name, detail: detail(found) }
}

function unknown(kind: Verdict['kind'], subject: string): CliError {
  const nothing =
    kind === 'page' ? `Nothing is declared for ${subject}` : `No public record of ${subject}. A proof may exist`
  const next: Partial<Record<Verdict['kind'], string>> = {
    anchor: 'check the id',
    content: 'ask the owner for the stamp, or check that the file is the original, byte for byte',
    page: 'check the address, character by character',
  }
  return new CliError({
    exitCode: EXIT.pending,
    code: 'unknown',
    message: nothing,
    next: next[kind] ?? `check the hash: it is SHA3-384, not SHA-384, which is as long; ${HASH_A_FILE}`,
    page: '/developer/verify-offline',
  })
}
