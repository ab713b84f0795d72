import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { captureMeasured, cpuSecondsOf, stopMeasured } from './measured-command.ts'

it('collects the output and the status, and counts the CPU of what the command starts', async () => {
  const busy = 'const end = process.cpuUsage().user + 3e5; while (process.cpuUsage().user < end);'
  const script = `require('node:child_process').execFileSync(process.execPath, ['-e', ${JSON.stringify(busy)}]); console.log('done'); process.exit(3)`
  const { code, output, cpuSeconds } = await captureMeasured(process.execPath, ['-e', script])
  expect({ code, output }).toEqual({ code: 3, output: 'done\n' })
  expect(cpuSeconds).toBeGreaterThanOrEqual(0.3)
})

it('passes arguments and environment as they are', async () => {
  const { output } = await captureMeasured('sh', ['-c', 'printf "%s|" "$@" "$SVC_X"', 'sh', 'a b', "it's"], {
    SVC_X: '$y',
  })
  expect(output).toBe("a b|it's|$y|")
})

it('says that a command is not there', async () => {
  expect(await captureMeasured('no-such-command', [])).toMatchObject({ code: 127 })
})

it('ends a command with what it started', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-ended-'))
  const file = join(folder, 'pid')
  const started = captureMeasured('sh', ['-c', 'sleep 60 & echo $! >"$0"; wait', file])
  const pid = await vi.waitFor(() => Number(readFileSync(file, 'utf8').match(/^\d+\n$/)?.[0] ?? Number.NaN), 10_000)
  stopMeasured()
  expect((await started).code).not.toBe(0)
  await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), 10_000)
  rmSync(folder, { recursive: true })
})

it('reads what the shell says of its children', () => {
  expect(cpuSecondsOf('0m0.01s 0m0.02s\n1m2.500s 0m0.500s\n')).toBe(63)
  expect(cpuSecondsOf('')).toBe(0)
})
