import type { Client } from '#client'
import { usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { argument, type Given, type Result } from '../result.ts'

type Match = Awaited<ReturnType<Client['provenance']['searchText']>>['matches'][number]

/** The same as what `text register` sends: the text cannot be read from it. */
export async function fingerprint(context: Context, given: Given): Promise<Result> {
  const text = await textOf(context, given)
  const { fingerprintText, textAssetIdOf } = await import('#client/functions')
  const made = await ofText(async () => fingerprintText(text))
  const assetId = textAssetIdOf(made)
  const { wordCount, chunks } = made
  return {
    data: { assetId, wordCount, chunks },
    text: [assetId, `${wordCount} words, ${chunks.length} chunks`],
  }
}

export async function registerText(context: Context, given: Given): Promise<Result> {
  const text = await textOf(context, given)
  if (context.options.dryRun) return { data: {}, text: 'Would register the fingerprint of the text.' }
  const { provenance } = await context.client()
  const registered = await ofText(() => provenance.registerText(text))
  return { data: registered, text: registered.asset_id }
}

export async function searchText(context: Context, given: Given): Promise<Result> {
  const text = await textOf(context, given)
  const { provenance } = await context.client('nobody')
  const { matches } = await ofText(() => provenance.searchText(text))
  return {
    data: { matches },
    text: matches.length === 0 ? 'Nothing was found.' : matches.flatMap(linesOf),
  }
}

function linesOf({ asset_id, query_containment, asset_containment, registered_at_ms }: Match): string[] {
  return [
    `${asset_id}, registered ${new Date(registered_at_ms).toISOString()}`,
    `  ${percent(query_containment)} of this text is in it, and ${percent(asset_containment)} of it is in this text`,
  ]
}

const percent = (share: number) => `${Math.round(share * 100)} %`

export async function deleteText(context: Context, given: Given): Promise<Result> {
  const assetId = argument(given, 0)
  if (context.options.dryRun) return { data: { assetId }, text: `Would delete ${assetId}.` }
  await context.confirm(`Delete your registration ${assetId}?`)
  await (await context.client()).provenance.deleteText(assetId)
  return { data: { assetId }, text: `Your registration ${assetId} is deleted.` }
}

async function textOf(context: Context, given: Given): Promise<string> {
  return context.readText(argument(given, 0))
}

/** A text can be too short or too long for a fingerprint. */
async function ofText<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof RangeError) throw usage(error.message, 'pass a text of 5 words to about 100,000')
    throw error
  }
}
