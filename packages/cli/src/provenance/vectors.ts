import type { CapsuleVectors } from '#client/functions'
import { usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { argument, flag, type Given, type Result } from '../result.ts'

type Service = keyof CapsuleVectors

/**
 * The vectors in a file, as another program computed them: `{"fragment": [[1, -1, …]], "semantic": …, "video":
 * [{"at_ms": 0, "values": […]}]}`, each of 256 values of 1 or -1.
 */
export async function vectorsIn(context: Context, name: string): Promise<CapsuleVectors> {
  const { capsuleVectorsSchema } = await import('#client/functions')
  const { data, error } = capsuleVectorsSchema.safeParse(await context.readJson(name))
  if (data && Object.keys(data).length > 0) return data
  const at = error?.issues[0]?.path.join('.')
  throw usage(
    `${name} does not hold vectors${at ? `: look at ${at}` : ''}`,
    'write {"fragment": [[…]]}, each vector 256 values of 1 or -1; semantic and video are the other kinds',
  )
}

/** Asks nobody who anybody is: a match is a hint to look. */
export async function searchVectors(context: Context, given: Given): Promise<Result> {
  const name = argument(given, 0)
  const found = await vectorsIn(context, name)
  const [service, other] = Object.keys(found) as Service[]
  if (service === undefined || other !== undefined)
    throw usage(`${name} has vectors of several kinds`, 'search by one: keep only fragment, semantic or video')
  const isClip = flag(given, 'clip')
  if (isClip && service !== 'video') throw usage('A clip is of a video', 'drop --clip, or pass vectors of video')
  const { provenance } = await context.client('nobody')
  const answer = await provenance.search(isClip ? 'video-fragment' : service, valuesOf(found, service))
  return {
    data: answer,
    text:
      answer.matches.length === 0
        ? 'Nothing was found.'
        : answer.matches.map(
            ({ asset_id, did, vectors }) =>
              `${asset_id}  by ${did}, ${Math.min(...vectors.map(({ distance }) => distance))} of 256 values differ`,
          ),
  }
}

function valuesOf(vectors: CapsuleVectors, service: Service): number[][] {
  return service === 'video' ? (vectors.video ?? []).map(({ values }) => values) : (vectors[service] ?? [])
}
