import type { Client } from '#client'
import type { Context } from '../context.ts'
import { type Given, option, type Result } from '../result.ts'
import { unresolved } from './unresolved.ts'

type Services = NonNullable<Parameters<Client['did']['register']>[0]>['services']

export async function register(context: Context, given: Given): Promise<Result> {
  const file = option(given, 'services')
  const services = file === undefined ? undefined : ((await context.readJson(file)) as NonNullable<Services>)
  if (context.options.dryRun) return { data: { did: await context.did() }, text: 'Would publish the DID document.' }
  const registered = await (await context.client()).did.register(services ? { services } : {})
  return { data: registered, text: `${await context.did()} resolves.` }
}

export async function resolveDid(context: Context, given: Given): Promise<Result> {
  const did = given.args[0] ?? (await context.did())
  const versionId = option(given, 'versionId')
  const { did: resolver } = await context.client('nobody')
  const result = await resolver.resolve(did, versionId === undefined ? undefined : { versionId })
  const { didDocument, didResolutionMetadata } = result
  if (didDocument) return { data: result, text: JSON.stringify(didDocument, null, 2) }
  throw unresolved(did, didResolutionMetadata.error?.type ?? '')
}
