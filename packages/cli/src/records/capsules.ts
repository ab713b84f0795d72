import { usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { writeNew } from '../files.ts'
import { argument, type Given, option, type Result } from '../result.ts'

/** A deployment may bind registrations to chains, so the capsule brings a block if the key is the root key. */
export async function signCapsule(context: Context, given: Given): Promise<Result> {
  const [name, mime] = [argument(given, 0), option(given, 'mime')]
  const kind = mime?.split('/')[0]
  if (mime === undefined || (kind !== 'image' && kind !== 'video'))
    throw usage('The media type is missing', 'pass --mime with an image or a video, such as --mime image/jpeg')
  const file = await context.read(name)
  if (context.options.dryRun) return { data: { assetId: null, dryRun: true }, text: `Would register ${name}.` }
  const { provenance } = await context.client()
  const { assetId, position, duplicate } = await provenance.register(await provenance.sign(file, { kind, mime }))
  const proof = context.pathOf(option(given, 'out') ?? `${name}.proof.json`)
  await writeNew(proof, `${JSON.stringify(await provenance.proof(assetId, await context.did()), null, 2)}\n`)
  return {
    data: { assetId, position, duplicate, proof },
    text: [assetId, `Proof  ${proof}`, `Next: svc verify ${proof} --file ${name}`],
  }
}

export async function openCapsule(context: Context, given: Given): Promise<Result> {
  const record = await (await context.client('nobody')).provenance.capsule(argument(given, 0))
  return { data: record, text: JSON.stringify(record, null, 2) }
}

export async function registerText(context: Context, given: Given): Promise<Result> {
  const text = new TextDecoder().decode(await context.read(argument(given, 0)))
  if (context.options.dryRun) return { data: { dryRun: true }, text: 'Would register the fingerprint of the text.' }
  const registered = await (await context.client()).provenance.registerText(text)
  return { data: registered, text: registered.asset_id }
}

export async function searchText(context: Context, given: Given): Promise<Result> {
  const text = new TextDecoder().decode(await context.read(argument(given, 0)))
  const { matches } = await (await context.client('nobody')).provenance.searchText(text)
  return {
    data: { matches },
    text: matches.length === 0 ? 'Nothing was found.' : matches.map((match) => JSON.stringify(match)),
  }
}
