import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@svc/client'
import * as browserImages from '@svc/client/browser-images'
import * as images from '@svc/client/images'
import * as fingerprint from '@svc/fingerprint'
import * as imageFingerprint from '@svc/fingerprint/images'
import { capture } from '@svc/platform/command'
import { ROOT } from '@svc/platform/workspace'
import { CONTENTS } from '@svc/site/contents'
import { describe, expect, it } from 'vitest'
import { allBlocks, blocksIn, commandsOf, inlineCommands, RUNNERS, runnersOf } from './blocks.ts'

const blocks = allBlocks()
const ofKind = (info: string) => blocks.filter((block) => block.info === info)

/** Runs an entry. */
const run = (command: string) => {
  const [script = '', ...words] = command.split(' ')
  return capture(join(ROOT, script), words)
}
const helps = new Map<string, Promise<string>>()
const helpOf = (script: string) => {
  const help = helps.get(script) ?? run(`${script} --help`).then(({ code, output }) => (code === 0 ? output : ''))
  helps.set(script, help)
  return help
}

/** Checks that a script exists and that its `--help` names every option and every lower-case word of a command. */
async function faultOf(command: string): Promise<string | null> {
  const [script = '', ...words] = command.split(' ')
  if (!existsSync(join(ROOT, script))) return `${script} does not exist`
  const help = await helpOf(script)
  if (help === '') return `${script} has no help`
  // The word after an option is its value.
  const named = words.filter((word, at) => word.startsWith('--') || words[at - 1]?.startsWith('--') !== true)
  const unknown = named.filter((word) => /^(?:--)?[a-z][a-z0-9-]+$/.test(word) && !help.includes(word))
  return unknown.length === 0 ? null : `${script} --help does not mention ${unknown.join(', ')}`
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

  it('is found in every context, and an unclosed one is an error', () => {
    const text = ['~~~py', 'x', '~~~', '````sh run', '```', '````', '  ```', 'z', '  ```'].join('\n')
    expect(blocksIn(text, 'a.md').map(({ place, info }) => `${place} ${info}`)).toEqual([
      'a.md:1 py',
      'a.md:4 sh run',
      'a.md:7 ',
    ])
    expect(runnersOf({ place: '', info: 'py', text: '' })).toEqual([])
    expect(runnersOf({ place: '', info: 'json', text: '' })).toEqual([])
    expect(() => blocksIn('```json\n{}', 'a.md')).toThrow('a.md:1: the fence is not closed')
  })
})

describe('the code of the home page, the quickstart and the guides', () => {
  const guides = CONTENTS.find(({ title }) => title === 'Guides')?.slugs ?? []
  const pages = ['home.md', ...['quickstart', ...guides].map((slug) => `developer/${slug}.md`)]
  const shown = blocks.filter(
    ({ place, info }) =>
      pages.some((page) => place.startsWith(`workers/docs/pages/${page}:`)) && /^(?:ts|js|py|sh|html) /.test(info),
  )
  /** Lines that a reader would have to scroll. Addresses do not break. */
  const wide = (text: string) =>
    text
      .replaceAll(/https?:\/\/\S+/g, '')
      .split('\n')
      .filter((line) => line.length > 84)

  it('is at most 84 columns wide', () => {
    expect(shown.length).toBeGreaterThan(50)
    expect(shown.flatMap(({ place, text }) => wide(text).map((line) => `${place}: ${line}`))).toEqual([])
  })

  it('would be found wider', () => {
    expect(wide(`short\n${'x'.repeat(85)}\ncurl https://core.example/${'x'.repeat(80)}`)).toEqual(['x'.repeat(85)])
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

  it('in blocks that cannot run, and in running text, match the help of their scripts', async () => {
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
    expect(await faultOf('scripts/nothing')).toBe('scripts/nothing does not exist')
    expect(await faultOf('scripts/deploy staging --gently')).toBe('scripts/deploy --help does not mention --gently')
  })
})

it('the signatures on the pages match the packages', () => {
  const client = new Client({
    core: 'https://core.example',
    did: 'https://did.example',
    provenance: 'https://provenance.example',
  }) as unknown as Record<string, Record<string, unknown>>
  const calls = ofKind('text calls').flatMap(({ place, text }) =>
    text.split('\n').map((line) => ({ place, line, parts: /^(?:client\.(\w+)\.)?(\w+)\(/.exec(line) })),
  )
  const free: Record<string, unknown> = { ...fingerprint, ...imageFingerprint, ...images, ...browserImages }
  expect(calls.length).toBeGreaterThan(5)
  for (const { place, line, parts } of calls) {
    const [, group, name = ''] = parts ?? []
    const owner = group === undefined ? free : client[group]
    const names = [name, ...[...(line.split('→')[0]?.matchAll(/, (\w+)\(/g) ?? [])].map(([, other = '']) => other)]
    for (const one of names) expect(typeof owner?.[one], `${place}: ${group ?? ''} ${one}`).toBe('function')
  }
})

it('is documented on the page about the documentation host', () => {
  const page = readFileSync(join(ROOT, 'workers/docs/pages/developer/docs.md'), 'utf8')
  const words = Object.values(RUNNERS).map(({ takes }) => takes.source.replace(/^\^|\$$/g, '').replace(/\[.*/, ''))
  for (const word of words) expect(page).toContain(`\`${word}`)
})
