import { DeploymentSigner } from '@svc/protocol/base/deployment-signer'
import type { ServiceKey } from '@svc/protocol/http/service-keys'
import { labels } from '@svc/protocol/keys/account-labels.fixture'
import { type LogList, listHash, type SignedLogList } from '@svc/protocol/merkle/log-list'
import { firstLogList } from '@svc/protocol/merkle/log-list-signing'
import { CORE, NOW } from './service-keys.fixture.ts'

const DAY = 86_400_000
export const LIST_URL = 'https://keys.test/api/transparency/logs'

/** The keys of a list that has one. */
export const listKeysOf = async (byte = '0c') => ({
  threshold: 1,
  publicKeysB64u: [(await new DeploymentSigner(byte.repeat(32), [CORE]).publicKey(0)) ?? ''],
})
export const listKeys = await listKeysOf()

interface ListParts {
  /** Without it, version 1. */
  readonly before?: SignedLogList
  readonly byte?: string
  readonly members?: Partial<LogList>
}

/** A list with these keys of services, signed by one key. */
export async function listWith(
  services: readonly ServiceKey[],
  { before, byte = '0c', members = {} }: ListParts = {},
): Promise<SignedLogList> {
  const issuedAt = members.issuedAt ?? (before ? before.statement.issuedAt + 1 : NOW - 30 * DAY)
  const { realm: _, ...statement } = {
    ...firstLogList({
      realm: CORE,
      labelKeyB64u: labels.publicKeyB64u,
      keys: await listKeysOf(byte),
      logs: [],
      issuedAt,
      validUntil: NOW + 1000 * DAY,
    }),
    services: services.map((key) => ({ ...key, alg: 'ml-dsa-65' as const })),
    ...(before && { version: before.statement.version + 1, previous: listHash(before) }),
    ...members,
    issuedAt,
  }
  const signer = new DeploymentSigner(byte.repeat(32), members.realms ?? [members.realm ?? CORE])
  const signed = await signer.sign(statement)
  if (!signed) throw new Error('No signature')
  const { publicKeyB64u, signatureB64u } = signed
  return { statement: signed.statement, signatures: [{ publicKeyB64u, signatureB64u }] }
}

/** What a service answers that has these lists, the newest last. */
export function listAnswer(lists: readonly SignedLogList[], url: string): Response {
  const list = lists.at(-1)
  if (!list) return Response.json({ success: false, error: 'log_list_unavailable' }, { status: 503 })
  const since = Number(new URL(url).searchParams.get('since') ?? list.statement.version)
  const earlier = lists.slice(0, -1).filter(({ statement }) => statement.version > since)
  return Response.json({ success: true, data: { list, earlier }, timestamp: NOW })
}
