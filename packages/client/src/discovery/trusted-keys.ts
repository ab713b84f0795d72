import { keysAt, type ServiceKey, type ServiceKeyName } from '#protocol/http/service-keys'
import type { ListKeys } from '#protocol/merkle/log-list'
import type { TrustedLogsOptions } from '../logs/trusted-logs.ts'
import type { Discovery } from './discover.ts'

/** The keys, base64url, that may have signed a statement issued at a time. */
export type TrustedKeys = (issuedAt: number) => readonly string[]

/** A single key from another source, or else the keys of a use in the signed list; undefined if there is no list. */
export function trustedKeys(
  given: string | undefined,
  discovery: Discovery | undefined,
  name: ServiceKeyName,
): TrustedKeys | undefined {
  if (given !== undefined) return () => [given]
  const services = listedServices(discovery)
  return services && ((issuedAt) => keysAt(services, name, issuedAt).map(({ publicKeyB64u }) => publicKeyB64u))
}

/** The keys of services in the list that a client has verified; undefined without a list. */
export function listedServices(discovery: Pick<Discovery, 'pin'> | undefined): readonly ServiceKey[] | undefined {
  return discovery?.pin.list?.statement.services
}

interface SignedAnswer {
  readonly publicKeyB64u: string
  readonly statement: { readonly issuedAt: number }
}

/** The key that an answer names, if it is trusted for the time. Otherwise an empty key, which verifies nothing. */
export function trustedOf({ publicKeyB64u, statement }: SignedAnswer, keys: TrustedKeys): string {
  return keys(statement.issuedAt).includes(publicKeyB64u) ? publicKeyB64u : ''
}

/** The same for one use; undefined if nothing is known. */
export function trustedKeyOf(...known: Parameters<typeof trustedKeys>): (answer: SignedAnswer) => string | undefined {
  const keys = trustedKeys(...known)
  return (answer) => keys && trustedOf(answer, keys)
}

interface ListTrust {
  readonly logListKeys?: ListKeys | undefined
  readonly discovery?: Discovery
}

/** The keys of the log list that a client trusts before it sees a list, and since when. */
export function trustedListOf({ logListKeys, discovery }: ListTrust): TrustedLogsOptions {
  if (logListKeys) return { listKeys: logListKeys }
  return { listKeys: discovery?.pin.logListKeys ?? undefined, trust: discovery?.logListTrust }
}
