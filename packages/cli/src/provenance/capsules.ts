import { shellWordOf } from '#client/text'
import { usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { mustBeNew, writeNew } from '../files.ts'
import { argument, flag, type Given, option, type Result } from '../result.ts'
import { vectorsIn } from './vectors.ts'

export async function signCapsule(context: Context, given: Given): Promise<Result> {
  const [name, mime] = [argument(given, 0), option(given, 'mime')]
  const kind = mime?.split('/')[0]
  if (mime === undefined || (kind !== 'image' && kind !== 'video'))
    throw usage('The media type is missing', 'pass --mime with an image or a video, such as --mime image/jpeg')
  const file = await context.read(name)
  const from = option(given, 'vectors')
  const vectors = from === undefined ? undefined : await vectorsIn(context, from)
  if (context.options.dryRun) return { data: {}, text: `Would register ${name}.` }
  const proof = context.pathOf(option(given, 'out') ?? `${name}.proof.json`)
  await mustBeNew(proof)
  const { provenance, chain } = await context.client()
  const signed = await provenance.sign(file, { kind, mime })
  const sent = flag(given, 'block') ? await provenance.bind(signed, await chain.head()) : signed
  const { assetId, position, duplicate } = await provenance.register(sent, vectors && { vectors })
  await writeNew(proof, `${JSON.stringify(await provenance.proof(assetId, await context.did()), null, 2)}\n`)
  return {
    data: { assetId, position, duplicate, proof },
    text: [assetId, `Proof  ${proof}`, `Next: svc capsule verify ${shellWordOf(proof)} ${shellWordOf(name)}`],
  }
}

export async function openCapsule(context: Context, given: Given): Promise<Result> {
  const record = await (await context.client('nobody')).provenance.capsule(argument(given, 0))
  return { data: record, text: JSON.stringify(record, null, 2) }
}

export async function verifyCapsule(context: Context, given: Given): Promise<Result> {
  const [proof, file] = [argument(given, 0), given.args[1]]
  const { verify } = await import('../verify/verify.ts')
  return verify(context, { args: [proof], options: { ...given.options, ...(file !== undefined && { file }) } })
}

export async function deleteCapsule(context: Context, given: Given): Promise<Result> {
  const assetId = argument(given, 0)
  if (context.options.dryRun) return { data: { assetId }, text: `Would delete ${assetId}.` }
  await context.confirm(`Delete your registration ${assetId}?`)
  await (await context.client()).provenance.deleteCapsule(assetId)
  return { data: { assetId }, text: `Your registration ${assetId} is deleted.` }
}
