import { basename } from 'node:path'
import type { AnchorStamp, Client } from '#client'
import { shellWordOf } from '#client/text'
import { CliError, invalid, usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { isThere, mustBeNew, writeNew } from '../files.ts'
import { argument, flag, type Given, option, type Result } from '../result.ts'
import { readStamp, stampOf } from './stamp.ts'

export async function stamp(context: Context, given: Given): Promise<Result> {
  const [file] = given.args
  const isFindable = flag(given, 'findable')
  if ((file === undefined) !== flag(given, 'head') || (file === undefined && isFindable))
    throw usage('Either a file or --head is stamped', 'svc anchor stamp FILE')
  const out = option(given, 'out') ?? `${file === undefined ? 'head' : file === '-' ? 'stdin' : file}.anchor.json`
  const { hashOf } = await import('#client/functions')
  const client = await context.client()
  const hash = file === undefined ? (await client.chain.head()).hash : await hashOf(await context.read(file))
  const epoch = option(given, 'epoch') ?? '-'
  if (context.options.dryRun) return { data: { epoch }, text: `Would anchor ${hash} as ${epoch}.` }
  const path = context.pathOf(out)
  const begun = await interrupted(context, out, hash)
  if (!begun) await mustBeNew(path)
  const name = file === undefined || file === '-' ? {} : { name: basename(file) }
  const how = { epoch, isFindable: isFindable || file === undefined }
  const keep = (made: AnchorStamp) => writeNew(path, `${JSON.stringify(made, null, 2)}\n`)
  const kept = begun ?? (await client.anchors.stamp({ hash, ...name }, { ...how, keep }))
  if (begun) await client.anchors.submit({ root: begun.root, epoch: begun.epoch })
  const { anchorId, root, nonceB64u } = kept
  const missed = file === undefined ? null : await keepInLibrary(client, kept)
  return {
    data: {
      stamp: path,
      anchorId,
      root,
      epoch: kept.epoch,
      isFindable: nonceB64u === null,
      inLibrary: missed === null,
    },
    text: [
      `Submitted ${root}`,
      `Stamp     ${path}${nonceB64u === null ? '' : '. Without it, nobody can show what was anchored: keep it with the file'}`,
      ...(missed === null ? [] : [`Your other devices do not have the stamp: ${missed}`]),
      `Next: svc anchor upgrade ${shellWordOf(out)} --wait`,
    ],
  }
}

/** The stamp of an earlier run that did not end; null if there is none. */
async function interrupted(context: Context, out: string, hash: string): Promise<AnchorStamp | null> {
  if (!(await isThere(context.pathOf(out)))) return null
  const found = stampOf(await context.readJson(out).catch(() => null))
  return found?.kind === 'pending' && found.pending.hash === hash ? found.pending : null
}

/** The stamp is in its file already: why the library does not have it is told, and no failure. */
async function keepInLibrary(client: Client, made: AnchorStamp): Promise<string | null> {
  return client.anchors.keep(made).then(
    () => null,
    (error: unknown) => (error instanceof Error ? error.message : 'it cannot be written'),
  )
}

/** The stamps of a file in the library of the identity, which each of its devices can read. */
export async function find(context: Context, given: Given): Promise<Result> {
  const file = argument(given, 0)
  const out = option(given, 'out') ?? `${file === '-' ? 'stdin' : file}.anchor.json`
  const { hashOf } = await import('#client/functions')
  const hash = await hashOf(await context.read(file))
  const path = context.pathOf(out)
  await mustBeNew(path)
  const client = await context.client()
  for await (const kept of client.anchors.kept()) {
    if (kept.hash !== hash) continue
    if (!context.options.dryRun) await writeNew(path, `${JSON.stringify(kept, null, 2)}\n`)
    const { anchorId, root, epoch } = kept
    return {
      data: { stamp: path, anchorId, root, epoch },
      text: [`Stamp     ${path}`, `Next: svc anchor upgrade ${shellWordOf(out)} --wait`],
    }
  }
  throw new CliError({
    exitCode: EXIT.pending,
    code: 'unknown',
    message: `The library has no stamp of ${file}`,
    next: 'check that the file is the original, byte for byte',
    page: '/developer/anchors#blind-anchors',
  })
}

export async function verifyStamp(context: Context, given: Given): Promise<Result> {
  const [name, file] = [argument(given, 0), given.args[1]]
  const found = await readStamp(context, name)
  const { root } = found.kind === 'complete' ? found.bundle.record : found.pending
  const { nonceB64u } = found.kind === 'complete' ? found.bundle : found.pending
  if (file !== undefined) {
    const { hashOf, rootOfFile } = await import('#client/functions')
    // Said of a pending stamp too, which has nothing else that can be verified.
    if (rootOfFile(await hashOf(await context.read(file)), nonceB64u ?? null) !== root)
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
  const found = await readStamp(context, argument(given, 0))
  if (found.kind === 'pending') {
    const { anchorId, root, epoch, realm, nonceB64u } = found.pending
    const isFindable = nonceB64u === null
    return {
      data: { isComplete: false, anchorId, root, epoch, isFindable, owner: null, log: null, at: null },
      text: [`pending at ${realm}`, `root   ${root}`, `epoch  ${epoch}`, `anchor ${anchorId}`],
    }
  }
  const { record, checkpoint } = found.bundle
  const { log, size, issuedAt } = checkpoint.statement
  const at = new Date(issuedAt).toISOString()
  const { anchorId, root, epoch, owner } = record
  return {
    data: { isComplete: true, anchorId, root, epoch, isFindable: found.bundle.nonceB64u === undefined, owner, log, at },
    text: [`claimed by ${owner}`, `root   ${root}`, `epoch  ${epoch}`, `log    ${log}, ${size} entries at ${at}`],
  }
}
