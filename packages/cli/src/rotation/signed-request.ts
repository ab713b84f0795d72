import { usage } from '../cli-error.ts'
import type { Context } from '../context.ts'

/** Reads a version-2 request that both keys have signed, without verifying the signatures. */
export async function signedRequestIn(context: Context, file: string, expectedDid: string) {
  const request = await context.readJson(file)
  const { statement: claimed } = Object(request) as { readonly statement?: unknown }
  const { keptRecoverySchema } = await import('#client/functions')
  const { did, scope, epoch } = Object(claimed) as Readonly<Record<string, unknown>>
  const { data: kept } = keptRecoverySchema.safeParse({
    format: 'svc/recovery/v1',
    did,
    scope,
    epoch,
    requests: [request],
  })
  const [found] = kept?.requests ?? []
  const [signatureB64u, newKeySignatureB64u] = [found?.signatureB64u, found?.newKeySignatureB64u]
  if (!found || !signatureB64u || !newKeySignatureB64u)
    throw usage(
      `${file} has no request that the root key and the new key have signed`,
      'pass the file of svc rotate start --lost-sheets',
    )
  const { statement } = found
  if (statement.did !== expectedDid)
    throw usage(`The request is for ${statement.did}`, 'use the profile of that identity')
  if (statement.version !== 2)
    throw usage('The request is for an operator, and no device co-signs it', 'pass a request of version 2')
  return { statement, signatureB64u, newKeySignatureB64u }
}
