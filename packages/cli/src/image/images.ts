import { usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { mustBeNew, writeNew } from '../files.ts'
import { argument, flag, type Given, option, type Result } from '../result.ts'
import { pictureIn } from './pixels.ts'

export async function registerPicture(context: Context, given: Given): Promise<Result> {
  const { file, mime, pixels } = await pictureIn(context, argument(given, 0))
  const { width, height } = pixels
  if (context.options.dryRun)
    return { data: {}, text: `Would register the fingerprint of ${width} by ${height} pixels.` }
  const { provenance } = await context.client()
  const { registerImage } = await import('#client/images')
  const registered = await withDetail(async () => registerImage(provenance, file, pixels, { mime }))
  return { data: registered, text: registered.assetId }
}

export async function searchPicture(context: Context, given: Given): Promise<Result> {
  const { pixels } = await pictureIn(context, argument(given, 0))
  const { provenance } = await context.client('nobody')
  const { searchImage } = await import('#client/images')
  const orientations = flag(given, 'orientations')
  const matches = await withDetail(async () => searchImage(provenance, pixels, { orientations }))
  return {
    data: { matches },
    text:
      matches.length === 0
        ? 'Nothing was found.'
        : matches.map(
            ({ assetId, did, distance, orientation }) =>
              `${assetId}  by ${did}, ${distance} of 256 bits differ${orientation === 'original' ? '' : `, ${orientation}`}`,
          ),
  }
}

/** An image without detail looks like every other one. */
export async function withDetail<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof RangeError)
      throw usage(error.message, 'svc capsule sign registers the file itself, without a fingerprint')
    throw error
  }
}

export async function models(context: Context, given: Given): Promise<Result> {
  const { provenance } = await context.client('nobody')
  const { artefacts } = await provenance.models()
  const name = option(given, 'get')
  if (name === undefined)
    return {
      data: { models: artefacts, file: null },
      text: artefacts.map(({ file, bytes, sha3_384: hash }) => `${file}  ${bytes} bytes  ${hash}`),
    }
  const artefact = artefacts.find(({ file }) => file === name)
  if (!artefact) throw usage(`The deployment has no model ${name}`, 'svc image models lists them')
  const path = context.pathOf(option(given, 'out') ?? name)
  if (context.options.dryRun) return { data: { models: [artefact], file: path }, text: `Would write ${path}` }
  await mustBeNew(path)
  await writeNew(path, await provenance.model(artefact))
  return { data: { models: [artefact], file: path }, text: `Wrote ${path}` }
}
