import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@svc/client'
import { afterAll, expect, it } from 'vitest'
import { findFreePortBase } from './lib/ports.ts'
import { type LoadRequest, send } from './measure/load.ts'
import { Person } from './measure/people.ts'

const WRITERS = 4
const APPENDS = 150
const stateDir = mkdtempSync(join(tmpdir(), 'crash-'))
let running: ChildProcess | undefined

afterAll(() => {
  kill(running)
  rmSync(stateDir, { recursive: true, force: true })
})

it('keeps every acknowledged block and every spent nonce through kill -9 in the middle of appends', async () => {
  const portBase = await findFreePortBase(20_000 + Math.floor(Math.random() * 20_000))
  const core = `http://localhost:${portBase}`
  running = await start(portBase)
  const writers = await Promise.all(Array.from({ length: WRITERS }, () => Person.create(core)))
  const planned = await Promise.all(writers.map((writer) => writer.appends(APPENDS)))

  let acknowledged = 0
  const appending = planned.map(async (requests) => {
    const taken: LoadRequest[] = []
    for (const request of requests) {
      const answer = await send(request).catch(() => null)
      if (answer?.status !== 201) return { taken, unknown: request }
      taken.push(request)
      acknowledged += 1
      if (acknowledged === (WRITERS * APPENDS) / 3) kill(running)
    }
    return { taken, unknown: undefined }
  })
  const outcomes = await Promise.all(appending)
  expect(outcomes.every(({ unknown }) => unknown !== undefined)).toBe(true)

  running = await start(portBase)
  for (const [i, { taken }] of outcomes.entries()) {
    const writer = writers[i]
    if (!writer) throw new Error('nobody')
    const client = new Client({ core, did: core, identity: writer.identity })
    const verified = await client.chain.verify()
    expect(verified.ok).toBe(true)
    const head = Number((await client.chain.head()).index)
    // The append that nobody heard of again may have been taken; nothing beyond it was sent.
    expect(head === taken.length || head === taken.length + 1).toBe(true)
    for (const request of taken.slice(-20)) expect((await send(request)).status).toBe(401)
  }
}, 120_000)

function start(portBase: number): Promise<ChildProcess> {
  const child = spawn('scripts/start', ['--port-base', String(portBase), '--state', stateDir], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return new Promise((resolve, reject) => {
    let output = ''
    const read = (chunk: Buffer) => {
      output += chunk.toString()
      if (output.includes('all eight answer /health')) resolve(child)
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.on('exit', (code) => reject(new Error(`scripts/start ended with ${code}:\n${output}`)))
  })
}

/** The shell, node and the runtime at once, the way a power cut would. */
function kill(child: ChildProcess | undefined): void {
  if (child?.pid === undefined || child.exitCode !== null) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // It is gone already.
  }
}
