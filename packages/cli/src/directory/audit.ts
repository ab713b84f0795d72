import { mkdir, rename, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { shellWordOf } from '#client/text'
import { CliError, locked, usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { flag, type Given, list, option, type Result } from '../result.ts'
import { readTextIfThere } from '../texts.ts'
import { transportBeside } from '../transport.ts'

/** The state is written after a visit that verified. After one that did not, it is part of the evidence. */
export async function audit(context: Context, given: Given): Promise<Result> {
  const seed = flag(given, 'cosign') ? await seedIn(context, option(given, 'seed')) : null
  const client = await context.client('nobody')
  const { discovery } = client
  if (!discovery) throw new TypeError('A connected client has what it discovered')
  const { auditStateSchema, cosign, LogAuditor } = await import('#client/audit')
  const transport = await transportBeside(client, await context.connection())
  const path = context.pathOf(
    option(given, 'state') ?? join(context.folders.state, `audit-${context.options.profile}.json`),
  )
  const text = await readTextIfThere(path)
  const state = text === null ? null : auditStateSchema.safeParse(jsonOf(text))
  if (state?.success === false) throw usage(`${path} is not the state of an audit`, 'name another file with --state')
  const listKeys = discovery.pin.logListKeys ?? undefined
  const keys = discovery.document.services.keys.url
  const auditor = new LogAuditor(transport, keys, listKeys, flag(given, 'logOnly') ? 'log' : 'log+map')
  const report = await auditor.follow(state?.data ?? null, {
    onProgress: ({ done, total }) => context.output.progress(`${done} of ${total ?? '?'} entries`),
  })
  for (const leaf of list(given, 'leaf')) await auditor.find(leaf)
  const { log, size, root } = report.state.checkpoint.statement
  if (!context.options.dryRun) {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await writeFile(`${path}.next`, `${JSON.stringify(report.state)}\n`)
    await rename(`${path}.next`, path)
  }
  const witness = seed && size > 0 && !context.options.dryRun ? await cosign(transport, keys, report, { seed }) : null
  return {
    data: { log, size, root, updates: report.updates.length, witness },
    text: [
      `${log}: ${size} entries, ${report.updates.length} new updates, root ${root.slice(0, 16)}…: verified`,
      ...(witness === null ? [] : [`Cosigned as ${witness}.`]),
    ],
  }
}

/** A person who reads the seed can sign as the witness. */
async function seedIn(context: Context, name: string | undefined): Promise<Uint8Array> {
  if (name === undefined) throw locked('key_missing', 'A witness needs its seed', 'pass the file with --seed')
  const text = (await context.readText(name)).trim()
  const { mode } = await stat(context.pathOf(name))
  if ((mode & 0o077) !== 0)
    throw new CliError({
      exitCode: EXIT.locked,
      code: 'key_exposed',
      message: `Others can read ${name}`,
      next: `chmod 600 ${shellWordOf(name)}`,
      page: '/developer/keys#witnesses',
    })
  if (/^[0-9a-f]{64}$/.test(text)) return new Uint8Array(Buffer.from(text, 'hex'))
  throw locked('key_missing', `${name} has no seed`, 'write 64 hex characters into it')
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
