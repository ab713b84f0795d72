import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, WORKER_NAMES } from '@svc/platform/workspace'
import { expect, it } from 'vitest'
import { isDefaultPort, localPortsIn, onDefaultPorts } from './local-ports.ts'

it.each([
  ['http://localhost:28260', 'http://localhost:8787'],
  ['http://localhost:28262/.well-known/ai-consent', 'http://localhost:8789/.well-known/ai-consent'],
  ['did:web:localhost%3A28263#resolver', 'did:web:localhost%3A8790#resolver'],
  ['ws://127.0.0.1:28267', 'ws://127.0.0.1:8794'],
  ['http://localhost:40123/hook', 'http://localhost:3000/hook'],
  ['http://localhost:22473', 'http://localhost:3000'],
  ['https://example.com:28260', 'https://example.com:28260'],
  ['localhost', 'localhost'],
])('%s is recorded as %s', (text, recorded) => {
  expect(onDefaultPorts(text, 28_260)).toBe(recorded)
  expect(onDefaultPorts(recorded, 8787)).toBe(recorded)
})

it.each(WORKER_NAMES)('no example of %s has the port of the platform that it was recorded from', (name) => {
  for (const file of ['examples.json', 'openapi.json']) {
    const text = readFileSync(join(ROOT, 'workers', name, file), 'utf8')
    expect(localPortsIn(text).filter((port) => !isDefaultPort(port))).toEqual([])
  }
})
