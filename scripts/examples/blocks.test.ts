import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@svc/client'
import * as fingerprint from '@svc/fingerprint'
import { describe, expect, it } from 'vitest'
import { capture } from '../lib/step-runner.ts'
import { ROOT } from '../lib/workspace.ts'
import { allBlocks, blocksIn, commandsOf, inlineCommands, RUNNERS, runnersOf } from './blocks.ts'

const blocks = allBlocks()
const ofKind = (info: string) => blocks.filter((block) => block.info === info)

/** The script itself, without the shell that finds Node: that is what a fresh machine tests. */
const run = (command: string) => {
  const [script = '', ...words] = command.split(' ')
  return capture(process.execPath, ['--no-warnings', `${join(ROOT, script)}.ts`, ...words])
}
const helps = new Map<string, Promise<string>>()
const helpOf = (script: string) => {
  const help = helps.get(script) ?? run(`${script} --help`).then(({ code, output }) => (code === 0 ? output : ''))
  helps.set(script, help)
  return help
}

/** That a script is there, takes a `--help`, and names every option and every word in lower case of a command. */
async function faultOf(command: string): Promise<string | null> {
  const [script = '', ...words] = command.split(' ')
  if (!existsSync(join(ROOT, script)) || !existsSync(join(ROOT, `${script}.ts`))) return `${script} is not there`
  const help = await helpOf(script)
  if (help === '') return `${script} has no help`
  // What follows an option is its value.
  const named = words.filter((word, at) => word.startsWith('--') || words[at - 1]?.startsWith('--') !== true)
  const unknown = named.filter((word) => /^(?:--)?[a-z][a-z0-9-]+$/.test(word) && !help.includes(word))
  return unknown.length === 0 ? null : `${script} --help says nothing of ${unknown.join(', ')}`
}

describe('every block of the pages and READMEs', () => {
  it('has one runner', () => {
    expect(blocks.length).toBeGreaterThan(250)
    const faults = blocks
      .filter((block) => runnersOf(block).length !== 1)
      .map(({ place, info }) => `${place}: '${info}'`)
    expect(faults).toEqual([])
  })

  it('and every runner has a test, and a block', () => {
    for (const [name, { file }] of Object.entries(RUNNERS)) {
      if (file !== null) expect(existsSync(join(ROOT, file)), name).toBe(true)
      expect(blocks.filter((block) => runnersOf(block).includes(name)).length, name).toBeGreaterThan(0)
    }
  })

  it('is found wherever it stands, and an open one is a fault', () => {
    const text = ['~~~py', 'x', '~~~', '````sh run', '```', '````', '  ```', 'z', '  ```'].join('\n')
    expect(blocksIn(text, 'a.md').map(({ place, info }) => `${place} ${info}`)).toEqual([
      'a.md:1 py',
      'a.md:4 sh run',
      'a.md:7 ',
    ])
    expect(runnersOf({ place: '', info: 'py', text: '' })).toEqual([])
    expect(runnersOf({ place: '', info: 'json', text: '' })).toEqual([])
    expect(() => blocksIn('```json\n{}', 'a.md')).toThrow('a.md:1: a fence is never closed')
  })
})

describe('commands', () => {
  it('that need no network run', async () => {
    for (const block of ofKind('sh run'))
      for (const command of commandsOf(block)) {
        const { code, output } = await run(command)
        expect(code, `${block.place}: ${command}\n${output}`).toBe(0)
        expect(output.trim()).not.toBe('')
      }
  }, 120_000)

  it('that need an account or time, and those in running text, are as their scripts say', async () => {
    const shown = ['sh account', 'sh long', 'sh run'].flatMap((info) =>
      ofKind(info).flatMap((block) => commandsOf(block).map((command) => ({ place: block.place, command }))),
    )
    const faults: string[] = []
    for (const { place, command } of [...shown, ...inlineCommands()]) {
      const fault = await faultOf(command)
      if (fault !== null) faults.push(`${place}: ${fault}`)
    }
    expect(faults).toEqual([])
    expect(shown.length).toBeGreaterThan(5)
  }, 120_000)

  it('are found wanting where they are', async () => {
    expect(await faultOf('scripts/nothing')).toBe('scripts/nothing is not there')
    expect(await faultOf('scripts/deploy staging --gently')).toBe('scripts/deploy --help says nothing of --gently')
  })
})

it('the signatures on the pages are those of the packages', () => {
  const client = new Client({
    core: 'https://core.example',
    did: 'https://did.example',
    provenance: 'https://provenance.example',
  }) as unknown as Record<string, Record<string, unknown>>
  const calls = ofKind('text calls').flatMap(({ place, text }) =>
    text.split('\n').map((line) => ({ place, line, parts: /^(?:client\.(\w+)\.)?(\w+)\(/.exec(line) })),
  )
  expect(calls.length).toBeGreaterThan(5)
  for (const { place, line, parts } of calls) {
    const [, group, name = ''] = parts ?? []
    const owner = group === undefined ? (fingerprint as unknown as Record<string, unknown>) : client[group]
    const names = [name, ...[...(line.split('→')[0]?.matchAll(/, (\w+)\(/g) ?? [])].map(([, other = '']) => other)]
    for (const one of names) expect(typeof owner?.[one], `${place}: ${group ?? ''} ${one}`).toBe('function')
  }
})

it('is explained on the page of the documentation host', () => {
  const page = readFileSync(join(ROOT, 'workers/docs/pages/developer/docs.md'), 'utf8')
  const words = Object.values(RUNNERS).map(({ takes }) => takes.source.replace(/^\^|\$$/g, '').replace(/\[.*/, ''))
  for (const word of words) expect(page).toContain(`\`${word}`)
})
