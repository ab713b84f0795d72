/**
 * Everything that verifies. Loaded when somebody has something to verify.
 *
 * @module
 */
import type { Client, VerificationError, WitnessPolicy } from '@svc/client'
import { detectFile, judge, type Kind, type Verdict } from '@svc/client/evidence'
import type { Configuration } from '../configuration.ts'
import { isChunkGone } from '../failures/chunk.ts'
import { sentenceOf } from '../failures/sentences.ts'
import { publicClient } from '../services/public-client.ts'
import type { Input, Settings } from './input.ts'
import { sentencesOf } from './sentences.ts'

/** How a check ended. */
/** `fingerprint` is of the keys that everything of the deployment was verified by; null if nobody was asked. */
export type Outcome =
  | {
      readonly kind: Kind
      readonly fingerprint: string | null
      readonly verdict: Verdict
      readonly sentences: readonly string[]
    }
  | { readonly kind: Kind; readonly verdict: null; readonly fault: Fault }

export type Fault =
  | { readonly is: 'invalid'; readonly message: string; readonly reason: string; readonly subject: string }
  | { readonly is: 'malformed' }
  | { readonly is: 'failed'; readonly message: string }

export async function verifyHere(input: Input, settings: Settings, { services }: Configuration): Promise<Outcome> {
  const detected = detectFile(input.bytes)
  const { kind } = detected
  try {
    const client =
      settings.isOffline || isEncrypted(kind) || kind === 'draft' || isUnasked(kind, settings)
        ? null
        : await publicClient(services.core)
    const verdict = await judge(detected, input.bytes, meansOf(client, settings, services.core))
    const fingerprint = client?.discovery?.fingerprint ?? null
    return { kind, verdict, fingerprint, sentences: await sentencesOf(verdict) }
  } catch (error) {
    if (isChunkGone(error)) throw error
    return { kind, verdict: null, fault: faultOf(error) }
  }
}

/** A file that nobody asked for yet: its hash tells the services who looks at what. */
export function isUnasked(kind: Kind, { mayAskFor }: Settings): boolean {
  return kind === 'content' && !mayAskFor
}

/** Opened here, or not at all: nobody is asked, and no link carries it. */
export function isEncrypted(kind: Kind): boolean {
  return kind === 'export' || kind === 'sealed'
}

function meansOf(client: Client | null, { expectedDid, logKeyB64u, content, passphrase }: Settings, core: string) {
  return {
    client,
    realms: client?.realms ?? [core],
    expectedDid: expectedDid === '' ? null : expectedDid,
    logKeyB64u: logKeyB64u === '' ? null : logKeyB64u,
    witnesses: client && proposedBy(client),
    file: content?.bytes ?? null,
    passphrase: async () => passphrase,
  }
}

/** The witnesses that the list proposes now, for people who name none themselves. */
function proposedBy({ discovery }: Client): WitnessPolicy | null {
  const { threshold, keys } = discovery?.pin.list?.statement.witnesses ?? { threshold: 0, keys: [] }
  const now = Date.now()
  const valid = keys.filter(
    ({ validFrom, validUntil }) => validFrom <= now && (validUntil === null || now < validUntil),
  )
  const publicKeysB64u = [...new Set(valid.map(({ publicKeyB64u }) => publicKeyB64u))]
  return threshold >= 1 && publicKeysB64u.length >= threshold ? { threshold, publicKeysB64u } : null
}

/** What the SDK throws for evidence that does not hold, by name. */
const INVALID = ['VerificationError', 'DiscoveryError', 'RollbackError', 'ForkError', 'UnprovedError', 'KeyExportError']

function faultOf(error: unknown): Fault {
  if (error instanceof Error && INVALID.includes(error.name)) {
    const { message, reason = '', subject = '' } = error as Partial<VerificationError> & Error
    if (subject === 'evidence' && reason === 'malformed') return { is: 'malformed' }
    return { is: 'invalid', message, reason, subject }
  }
  return { is: 'failed', message: sentenceOf(error) }
}
