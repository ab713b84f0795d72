import { usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { argument, count, flag, type Given, list, option, type Result } from '../result.ts'
import { withDetail } from './images.ts'
import { type Picture, pictureIn } from './pixels.ts'

const INTERVAL_MS = 1000

export async function registerFilm(context: Context, given: Given): Promise<Result> {
  const file = await context.read(argument(given, 0))
  const mime = option(given, 'mime') ?? 'video/mp4'
  const names = framesOf(given)
  const every = count(given, 'every', INTERVAL_MS)
  if (context.options.dryRun) return { data: {}, text: `Would register ${names.length} frames.` }
  const { provenance } = await context.client()
  const { registerVideo } = await import('#client/images')
  const facts = { mime, durationMs: names.length * every }
  const registered = await withDetail(async () =>
    registerVideo(provenance, file, decoded(context, names, every), facts),
  )
  return { data: registered, text: registered.assetId }
}

export async function searchFilm(context: Context, given: Given): Promise<Result> {
  const names = framesOf(given)
  const every = count(given, 'every', INTERVAL_MS)
  const { provenance } = await context.client('nobody')
  const { searchVideo } = await import('#client/images')
  const clip = flag(given, 'clip')
  const matches = await withDetail(async () => searchVideo(provenance, decoded(context, names, every), { clip }))
  return {
    data: { matches },
    text:
      matches.length === 0
        ? 'Nothing was found.'
        : matches.map(
            ({ assetId, did, score, frames }) =>
              `${assetId}  by ${did}, ${Math.round(score * 100)} % of it, from ${seconds(frames[0]?.atMs ?? 0)}`,
          ),
  }
}

const seconds = (ms: number) => `second ${(ms / 1000).toFixed(1)}`

function framesOf(given: Given): readonly string[] {
  const names = list(given, 'frames')
  if (names.length > 0) return names
  throw usage(
    'The frames are missing',
    'name pictures with --frames, such as those of: ffmpeg -i film.mp4 -vf fps=1 frame-%04d.png',
  )
}

/** One at a time: a film has more frames than a memory. */
async function* decoded(
  context: Context,
  names: readonly string[],
  every: number,
): AsyncGenerator<{ atMs: number; pixels: Picture['pixels'] }> {
  for (const [at, name] of names.entries()) {
    context.output.progress(`${at + 1} of ${names.length} frames`)
    yield { atMs: at * every, pixels: (await pictureIn(context, name)).pixels }
  }
}
