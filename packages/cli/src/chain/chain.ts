import type { OnProgress } from '#client'
import { usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { asBytes, asFile } from '../files.ts'
import { argument, count, type Given, option, type Result } from '../result.ts'

export async function initChain(context: Context): Promise<Result> {
  if (context.options.dryRun) return { data: { did: await context.did() }, text: 'Would write the first block.' }
  const { did, hash } = await (await context.client()).chain.genesis()
  return { data: { did, hash }, text: [`${did} is registered.`, `Block 0  ${hash}`] }
}

export async function showHead(context: Context): Promise<Result> {
  const { index, hash } = await (await context.client()).chain.head()
  return { data: { index, hash }, text: `Block ${index}  ${hash}` }
}

export async function append(context: Context, given: Given): Promise<Result> {
  const [file, metadata] = [option(given, 'file'), option(given, 'metadata')]
  if (file === undefined && metadata === undefined)
    throw usage('The block has no content', 'pass --file, --metadata, or both')
  const payload = file === undefined ? undefined : await context.read(file)
  const members = metadata === undefined ? undefined : await metadataOf(context, metadata)
  if (context.options.dryRun)
    return {
      data: {},
      text: `Would append a block with ${payload?.length ?? 0} bytes.`,
    }
  const { block, hash } = await (await context.client()).chain.append({
    ...(payload && { payload, contentType: option(given, 'type') ?? 'application/octet-stream' }),
    ...(members && { metadata: members }),
  })
  return { data: { index: block.index, hash, block }, text: `Block ${block.index}  ${hash}` }
}

type Metadata = NonNullable<Parameters<Awaited<ReturnType<Context['client']>>['chain']['append']>[0]['metadata']>

async function metadataOf(context: Context, file: string): Promise<Metadata> {
  const value = await context.readJson(file)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Metadata
  throw usage(`${file} is not a JSON object`, 'pass an object with members')
}

export async function listBlocks(context: Context, given: Given): Promise<Result> {
  const [from, limit] = [count(given, 'from', 0), count(given, 'limit', 50)]
  const client = await context.client()
  const { blockHash, isSigned } = await import('#client/functions')
  const blocks = []
  for await (const block of client.chain.blocks(from)) {
    if (blocks.length >= limit) break
    const hash = isSigned(block) ? blockHash(block) : null
    blocks.push({
      index: block.index,
      timestamp: Number(block.timestamp),
      contentType: block.contentType ?? null,
      hash,
    })
  }
  return {
    data: { blocks },
    text: blocks.map(
      ({ index, timestamp, contentType, hash }) =>
        `${index.padStart(6)}  ${new Date(timestamp).toISOString()}  ${hash?.slice(0, 16) ?? '-'}…  ${contentType ?? ''}`,
    ),
  }
}

/** By the index of the block, or its hash. */
export async function readPayload(context: Context, given: Given): Promise<Result> {
  const block = argument(given, 0)
  const { bytes, record } = await (await context.client()).chain.payload(block)
  const { file, contentB64u, ...shown } = await asBytes(context, option(given, 'out'), bytes)
  return {
    data: { block, contentType: record.contentType ?? null, bytes: bytes.length, file, contentB64u },
    ...shown,
  }
}

export async function verifyWhole(context: Context): Promise<Result> {
  const client = await context.client()
  const onProgress: OnProgress = ({ done, total }) => context.output.progress(`${done} of ${total ?? '?'} blocks`)
  const { index, hash } = await client.chain.verify({ onProgress })
  return { data: { verdict: 'valid', index, hash }, text: `valid: ${Number(index) + 1} blocks, the newest ${hash}` }
}

export async function exportChain(context: Context, given: Given): Promise<Result> {
  const client = await context.client()
  const blocks = []
  for await (const block of client.chain.blocks()) blocks.push(block)
  const did = await context.did()
  return asFile(context, option(given, 'out'), `${JSON.stringify({ did, blocks })}\n`, { did, blocks: blocks.length })
}
