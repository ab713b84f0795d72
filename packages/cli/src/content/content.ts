import type { Context } from '../context.ts'
import { asBytes } from '../files.ts'
import { argument, type Given, option, type Result } from '../result.ts'

export async function pin(context: Context, given: Given): Promise<Result> {
  const [cid, name] = [argument(given, 0), option(given, 'name')]
  if (context.options.dryRun) return { data: { cid }, text: `Would pin ${cid}.` }
  const pinned = await (await context.client()).account.pin(cid, name)
  return { data: pinned, text: `${cid} is ${pinned.status}${pinned.bytes === null ? '' : `, ${pinned.bytes} bytes`}.` }
}

export async function listPins(context: Context): Promise<Result> {
  const pins = []
  for await (const one of (await context.client()).account.allPins()) pins.push(one)
  return {
    data: { pins },
    text:
      pins.length === 0
        ? 'Nothing is pinned.'
        : pins.map(({ cid, bytes, name }) => `${cid}  ${bytes ?? '?'} bytes${name === undefined ? '' : `  ${name}`}`),
  }
}

export async function readContent(context: Context, given: Given): Promise<Result> {
  const cid = argument(given, 0)
  const bytes = await (await context.client('nobody')).account.content(cid, {
    onProgress: ({ done, total }) => context.output.progress(`${done} of ${total ?? '?'} bytes`),
  })
  const { file, contentB64u, ...shown } = await asBytes(context, option(given, 'out'), bytes)
  return { data: { cid, bytes: bytes.length, file, contentB64u }, ...shown }
}

export async function unpin(context: Context, given: Given): Promise<Result> {
  const cid = argument(given, 0)
  if (context.options.dryRun) return { data: { cid }, text: `Would remove your pin of ${cid}.` }
  await context.confirm(`Remove your pin of ${cid}?`)
  const pinned = await (await context.client()).account.unpin(cid)
  return { data: pinned, text: `Your pin of ${cid} is removed.` }
}

export async function takedowns(context: Context): Promise<Result> {
  const found = []
  for await (const one of (await context.client('nobody')).account.takedowns()) found.push(one)
  return {
    data: { takedowns: found },
    text:
      found.length === 0
        ? 'Nothing was taken down.'
        : found.map(({ subject, reason }) => `${subject.kind}  ${subject.id}  ${reason}`),
  }
}
