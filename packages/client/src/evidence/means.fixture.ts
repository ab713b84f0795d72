import { REALMS } from '../../test/realm.ts'
import { alice } from '../../test/sides.ts'
import type { Kind } from './detect/formats.ts'
import { judge } from './judge.ts'
import type { Means } from './means.ts'
import type { Verdict } from './verdict/verdict.ts'

/** What judging throws for what only looks like its kind. */
export const MALFORMED = { name: 'VerificationError', subject: 'evidence', reason: 'malformed' }

export const text = (content: string) => new TextEncoder().encode(content)

/** Nothing but the realm, without a network. */
export const OFFLINE: Means = {
  client: null,
  realms: REALMS,
  expectedDid: null,
  file: null,
  logKeyB64u: null,
  passphrase: async () => '',
}

export const judged = (kind: Kind, value: unknown, means: Partial<Means> = {}): Promise<Verdict> =>
  judge({ kind, value }, null, { ...OFFLINE, ...means })

/** What core answers at this address of the root keys of Alice: the given ones, or the first one. */
export function historyOfAlice(url: string, keys?: readonly object[]) {
  const { did, scope, userId, publicKeyB64u } = alice
  const first = { epoch: 0, userId, publicKeyB64u, activatedAt: 1_790_000_000_000, request: null, genesis: null }
  const from = Number(new URL(url).searchParams.get('from'))
  return { did, scope, rotation: null, keys: (keys ?? [first]).slice(from), next: null }
}

/** Each check with its result. */
export const namesOf = ({ checks }: Verdict): string[] =>
  checks.map(({ check, result, found }) => `${found['part'] ?? found['gap'] ?? check} ${result}`)
