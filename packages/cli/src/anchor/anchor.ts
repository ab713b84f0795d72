import { rename, writeFile } from 'node:fs/promises'
import { shellWordOf } from '#client/text'
import { invalid, usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { mustBeNew, writeNew } from '../files.ts'
import { argument, flag, type Given, option, type Result } from '../result.ts'
import { type PendingStamp, type Stamp, stampOf } from './stamp.ts'

const MAX_WAIT_MS = 300_000
const WAIT_MS = 2000

export async function stamp(context: Context, given: Given): Promise<Result> {
  const [file] = given.args
  if ((file === undefined) !== flag(given, 'head'))
    throw usage('Either a file or --head is stamped', 'svc anchor stamp FILE')
  const out = option(given, 'out') ?? `${file === undefined ? 'head' : file === '-' ? 'stdin' : file}.anchor.json`
  const { hashOf } = await import('#client/functions')
  const client = await context.client()
  const root = file === undefined ? (await client.chain.head()).hash : await hashOf(await context.read(file))
  const epoch = option(given, 'epoch') ?? (file === undefined ? 'head' : 'file')
  if (context.options.dryRun) return { data: { root, epoch }, text: `Would anchor ${root} as ${epoch}.` }
  const path = context.pathOf(out)
  await mustBeNew(path)
  const { anchorId } = await client.anchors.submit({ root, epoch })
  const { core, realm } = await context.profile()
  const pending: PendingStamp = { format: 'svc/anchor-pending/v1', core, realm, anchorId, root, epoch }
  await writeNew(path, `${JSON.stringify(pending, null, 2)}\n`)
  return {
    data: { stamp: path, anchorId, root, epoch },
    text: [`Submitted ${root}`, `Stamp     ${path}`, `Next: svc anchor upgrade ${shellWordOf(out)} --wait`],
  }
}

export async function upgrade(context: Context, given: Given): Promise<Result> {
  const name = argument(given, 0)
  const found = await read(context, name)
  if (found.kind === 'complete') return { data: { stamp: name, isComplete: true }, text: `${name} is complete.` }
  const client = await context.client('nobody')
  const { anchorId, root } = found.pending
  let record = await client.anchors.read(anchorId)
  const { now } = context.environment
  for (const end = now() + MAX_WAIT_MS; record.position === null && flag(given, 'wait') && now() < end; ) {
    context.output.progress('waiting for the log …')
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS))
    record = await client.anchors.read(anchorId)
  }
  if (record.position === null)
    return {
      data: { stamp: name, isComplete: false },
      text: `${name} is not in the log yet. Next: svc anchor upgrade ${shellWordOf(name)} --wait`,
      exitCode: EXIT.pending,
    }
  const bundle = await client.anchors.bundle(anchorId)
  if (bundle.record.root !== root)
    throw invalid('mismatch', 'The anchor has another root than the stamp', 'keep both, and ask the operator')
  const path = context.pathOf(name)
  if (!context.options.dryRun) {
    await writeFile(`${path}.next`, `${JSON.stringify(bundle, null, 2)}\n`, { mode: 0o600 })
    await rename(`${path}.next`, path)
  }
  return {
    data: { stamp: name, isComplete: true },
    text: [
      `${name} is complete. To verify it without a network later, keep the keys of today with it.`,
      `Next: svc verify ${shellWordOf(name)} --file FILE --evidence known.json, and later with --offline too`,
    ],
  }
}

export async function verifyStamp(context: Context, given: Given): Promise<Result> {
  const [name, file] = [argument(given, 0), given.args[1]]
  const found = await read(context, name)
  const { root } = found.kind === 'complete' ? found.bundle.record : found.pending
  if (file !== undefined) {
    const { hashOf } = await import('#client/functions')
    // Said of a pending stamp too, which has nothing else that can be verified.
    if ((await hashOf(await context.read(file))) !== root)
      throw invalid(
        'content_mismatch',
        `${file} is not what was anchored`,
        'check that it is the original, byte for byte',
      )
  }
  const { verify } = await import('../verify/verify.ts')
  return verify(context, { args: [name], options: { ...given.options, ...(file !== undefined && { file }) } })
}

/** What it claims. Nothing is verified. */
export async function info(context: Context, given: Given): Promise<Result> {
  const found = await read(context, argument(given, 0))
  if (found.kind === 'pending') {
    const { anchorId, root, epoch, core } = found.pending
    return {
      data: { isComplete: false, anchorId, root, epoch, owner: null, log: null, at: null },
      text: [`pending at ${core}`, `root   ${root}`, `epoch  ${epoch}`, `anchor ${anchorId}`],
    }
  }
  const { record, checkpoint } = found.bundle
  const { log, size, issuedAt } = checkpoint.statement
  const at = new Date(issuedAt).toISOString()
  const { anchorId, root, epoch, owner } = record
  return {
    data: { isComplete: true, anchorId, root, epoch, owner, log, at },
    text: [`claimed by ${owner}`, `root   ${root}`, `epoch  ${epoch}`, `log    ${log}, ${size} entries at ${at}`],
  }
}

async function read(context: Context, name: string): Promise<Stamp> {
  const found = stampOf(await context.readJson(name))
  if (found) return found
  throw invalid('malformed', `${name} is not a stamp`, 'pass a file that svc anchor stamp wrote')
}
