import type { Client } from '@svc/client'
import { CliError, usage } from '../cli-error.ts'
import { EXIT } from '../exit-codes.ts'
import { checked, unchecked, type Verdict, verdictOf } from './verdict.ts'
import type { Means } from './verify.ts'

type Bundle = Awaited<ReturnType<Client['provenance']['proof']>>

/** The evidence for a registration. */
export async function judgeProof(value: unknown, { client, realms, file, expectedDid }: Means): Promise<Verdict> {
  if (realms.length === 0) throw usage('A proof needs the deployment that it must be for', 'pass --realm')
  const { verifyProof } = await import('@svc/client/verify')
  const bundle = value as Bundle
  const did = expectedDid ?? bundle.did
  const rootKeys = client ? await client.keyHistory.of(did) : undefined
  const { verified, unverified, gaps } = await verifyProof(bundle, {
    realms: realms as [string, ...string[]],
    expectedDid: did,
    ...(file && { file }),
    ...(rootKeys && { rootKeys }),
  })
  return verdictOf('proof', did, [
    ...verified.map((kind) => checked(kind.replaceAll('_', ' '), 'verified here')),
    ...unverified.map(({ kind, strength }) => unchecked(kind.replaceAll('_', ' '), `on the word of: ${strength}`)),
    ...gaps.map((gap) => unchecked('not proved', gap.replaceAll('_', ' '))),
  ])
}

/** Any file: who has registered it, and whether that verifies. */
export async function judgeContent(file: Uint8Array, means: Means): Promise<Verdict> {
  const { hashOf } = await import('@svc/client/functions')
  const hash = await hashOf(file)
  const found = await registered(`asset:sha3-384:${hash}`, means.client)
  if (found) return judgeProof(found, { ...means, file })
  return unknown('content', hash, means.client)
}

/** A hash: of an anchor, or of a file that somebody registered. */
export async function judgeHash(hash: string, means: Means): Promise<Verdict> {
  const { client } = means
  if (!client) return unknown('hash', hash, client)
  const bundle = await absentAsNull(() => client.anchors.bundle(hash))
  if (bundle) {
    const { judgeAnchor } = await import('./judge-logs.ts')
    return judgeAnchor(bundle, means)
  }
  const found = await registered(`asset:sha3-384:${hash}`, client)
  return found ? judgeProof(found, means) : unknown('hash', hash, client)
}

function registered(assetId: string, client: Client | null): Promise<Bundle | null> {
  return client ? absentAsNull(() => client.provenance.proof(assetId)) : Promise.resolve(null)
}

function unknown(kind: 'content' | 'hash', hash: string, client: Client | null): Verdict {
  if (client) {
    throw new CliError({
      exitCode: EXIT.pending,
      code: 'unknown',
      message: `Nothing is registered or anchored under ${hash}`,
      next: kind === 'content' ? 'check that the file is the original, byte for byte' : 'check the hash',
      page: '/developer/verify-offline',
    })
  }
  return verdictOf(kind, null, [checked('SHA3-384', hash), unchecked('registration', 'not asked for')], {
    next: 'run it without --offline, or pass a proof with this file as --file',
    isOpen: true,
  })
}

/** A 404 as null. */
async function absentAsNull<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read()
  } catch (error) {
    if (
      error instanceof Error &&
      error.name === 'ServiceError' &&
      'status' in error &&
      [400, 404].includes(Number(error.status))
    )
      return null
    throw error
  }
}
