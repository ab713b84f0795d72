import { keysAt, type ServiceKey, type ServiceKeyName } from '#protocol/http/service-keys'
import type { ListKeys } from '#protocol/merkle/log-list'
import type { VerificationSubject } from '../verification/subjects.ts'
import { unverified } from '../verification/verification-error.ts'
import type { Discovery } from './discover.ts'
import { unpinned } from './unpinned-error.ts'

/** The keys, base64url, that may have signed a statement issued at a time. */
export type TrustedKeys = (issuedAt: number) => Promise<readonly string[]> | readonly string[]

/** The option that names the key of a use, for a client that does not take it from the list. */
const NAMED = {
  receipt: 'receiptKeyB64u',
  resolution: 'resolverKey',
  reservation: 'reservationKeyB64u',
  'quota-receipt': 'quotaReceiptKeyB64u',
  snapshot: 'consentKeyB64u',
  publication: 'publisherKeyB64u',
} as const satisfies Partial<Record<ServiceKeyName['use'], string>>

/** A use whose statements clients verify. */
export type VerifiedKeyName = ServiceKeyName & { readonly use: keyof typeof NAMED }

/** What a client was given: named keys, the keys of the list, or what it discovered. */
type Options = ListTrust & { readonly [Option in (typeof NAMED)[keyof typeof NAMED]]?: string | undefined }

/**
 * The key that the caller named, or else those of a use in the signed list, which `listed` reads under the pinned keys.
 * Without either, asking for the keys throws a `VerificationError` with reason `no_key`: what a service shows of its own
 * keys proves nothing.
 */
export function trustedKeys(
  name: VerifiedKeyName,
  options: Options,
  listed: () => Promise<readonly ServiceKey[]>,
): TrustedKeys {
  const option = NAMED[name.use]
  const given = options[option]
  if (given !== undefined) return () => [given]
  if (!isPinnedBy(options, name))
    return () => {
      throw unpinned(option)
    }
  return async (issuedAt) => keysAt(await listed(), name, issuedAt).map(({ publicKeyB64u }) => publicKeyB64u)
}

/** Whether a client can tell the keys of a use: named, or in a list under keys that it pins. */
export function isPinnedBy(options: Options, { use }: VerifiedKeyName): boolean {
  if (options[NAMED[use]] !== undefined) return true
  return listedServices(options.discovery) !== undefined || trustedListOf(options).listKeys !== undefined
}

/** The keys of services in the list that a client has verified; undefined without a list. */
export function listedServices(discovery: Pick<Discovery, 'pin'> | undefined): readonly ServiceKey[] | undefined {
  return discovery?.pin.list?.statement.services
}

interface SignedAnswer {
  readonly publicKeyB64u: string
  readonly statement: { readonly issuedAt: number }
}

/** The key that an answer names, which must be trusted for the time of the answer. */
export async function trustedKeyOf(
  answer: SignedAnswer,
  keys: TrustedKeys,
  subject: VerificationSubject,
  where = {},
): Promise<string> {
  const { publicKeyB64u, statement } = answer
  if ((await keys(statement.issuedAt)).includes(publicKeyB64u)) return publicKeyB64u
  const message = 'The signed list does not have the key that the answer names, or not for that time'
  throw unverified(subject, 'wrong_key', message, { where, evidence: answer })
}

interface ListTrust {
  readonly logListKeys?: ListKeys | undefined
  readonly discovery?: Discovery
}

/** The keys of the log list that a client trusts before it sees a list, and since when. */
export function trustedListOf({ logListKeys, discovery }: ListTrust) {
  if (logListKeys) return { listKeys: logListKeys }
  return { listKeys: discovery?.pin.logListKeys ?? undefined, trust: discovery?.logListTrust }
}
