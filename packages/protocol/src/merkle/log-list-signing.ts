/**
 * Makes log lists: what the operator's tool signs with offline keys, and local development with a key of its own.
 *
 * @module
 */
import { encodeBase64url } from '../base/base64url.ts'
import { signStatement } from '../base/statement.ts'
import { type ListedLog, type LogList, listHash, type SignedLogList } from './log-list.ts'
import type { LogEnd } from './log-name.ts'

export interface ListSigner {
  readonly publicKey: Uint8Array
  readonly sign: (message: Uint8Array) => Promise<Uint8Array>
}

/** An open log that takes every label. */
export function openedLog(
  {
    log,
    series,
    publicKeyB64u,
    tiles = null,
  }: Pick<ListedLog, 'log' | 'series' | 'publicKeyB64u'> & { readonly tiles?: string | null },
  openedAt: number,
  previous: LogEnd | null = null,
): ListedLog {
  const slot = { bits: 0, value: 0 }
  return { log, series, slot, state: 'open', publicKeyB64u, openedAt, previous, final: null, tiles }
}

/** Version 1. What is not given is empty. */
export function firstLogList(
  given: Pick<LogList, 'realm' | 'labelKeyB64u' | 'keys' | 'logs' | 'issuedAt' | 'validUntil'> &
    Partial<Pick<LogList, 'namespace' | 'realms' | 'services' | 'beacon' | 'witnesses'>>,
): LogList {
  return {
    type: 'svc/log-list/v1',
    namespace: given.realm,
    version: 1,
    previous: null,
    realms: [given.realm],
    services: [],
    beacon: [],
    witnesses: { threshold: 0, keys: [] },
    ...given,
  }
}

export async function signLogList(statement: LogList, signers: readonly ListSigner[]): Promise<SignedLogList> {
  const signatures = await Promise.all(
    signers.map(async ({ publicKey, sign }) => {
      const { signatureB64u } = await signStatement(statement, sign)
      return { publicKeyB64u: encodeBase64url(publicKey), signatureB64u }
    }),
  )
  return { statement, signatures }
}

/** The statement after a list: the same with the next version, except for what is given. */
export function nextLogList(
  before: SignedLogList,
  changed: Partial<Pick<LogList, 'realm' | 'realms' | 'keys' | 'logs' | 'services' | 'beacon' | 'witnesses'>> &
    Pick<LogList, 'issuedAt' | 'validUntil'>,
): LogList {
  return { ...before.statement, ...changed, version: before.statement.version + 1, previous: listHash(before) }
}
