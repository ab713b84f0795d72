import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { argument, flag, type Given, option, type Result } from '../result.ts'

export async function lookup(context: Context, given: Given): Promise<Result> {
  const { accountDid, seq, head, devices } = await (await context.client()).keyDirectory.list(argument(given, 0))
  return {
    data: { accountDid, seq, head, devices },
    text: devices.length === 0 ? 'Nothing is published.' : devices.map((device) => JSON.stringify(device)),
  }
}

/** The state is written after a visit that verified. After one that did not, it is part of the evidence. */
export async function audit(context: Context, given: Given): Promise<Result> {
  const client = await context.client('nobody')
  const { discovery } = client
  if (!discovery) throw new TypeError('A connected client has what it discovered')
  const [{ auditStateSchema, LogAuditor }, { Transport }] = await Promise.all([
    import('@svc/client/audit'),
    import('@svc/client'),
  ])
  const { fetch, now } = context.environment
  const transport = new Transport({ realm: client.realm, now, ...(fetch && { fetch }) })
  const path = context.pathOf(
    option(given, 'state') ?? join(context.folders.state, `audit-${context.options.profile}.json`),
  )
  const text = await readFile(path, 'utf8').catch(() => null)
  const state = text === null ? null : auditStateSchema.safeParse(JSON.parse(text))
  if (state?.success === false) throw usage(`${path} is not the state of an audit`, 'name another file with --state')
  const listKeys = discovery.pin.logListKeys ?? undefined
  const keys = discovery.document.services.keys.url
  const auditor = new LogAuditor(transport, keys, listKeys, flag(given, 'logOnly') ? 'log' : 'log+map')
  const report = await auditor.follow(state?.data ?? null)
  if (!context.options.dryRun) {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await writeFile(`${path}.next`, `${JSON.stringify(report.state)}\n`)
    await rename(`${path}.next`, path)
  }
  const { log, size, root } = report.state.checkpoint.statement
  return {
    data: { log, size, root, updates: report.updates.length },
    text: `${log}: ${size} entries, ${report.updates.length} new updates, root ${root.slice(0, 16)}…: verified`,
  }
}
