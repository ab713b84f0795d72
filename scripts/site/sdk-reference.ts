/**
 * The reference of what the published packages export, made by TypeDoc from their docstrings. It takes several seconds,
 * so it is kept until a source changes.
 *
 * @module
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { buildSync } from 'esbuild'
import { ICON } from './emblem.ts'
import { ROOT } from './root.ts'
import { ENTRIES } from './sdk-reference/entries.ts'

const CACHE = join(ROOT, 'node_modules/.cache/sdk-reference')
const TOOL = join(ROOT, 'scripts/site/sdk-reference')
const LOOK_SCRIPT = join(ROOT, 'scripts/site/page/reference-look.ts')
const SOURCES = [
  'packages/*/src/**/*.ts',
  'packages/*/package.json',
  'scripts/site/sdk-reference/*.{css,json,md,ts}',
  'scripts/site/page/reference-look.ts',
  'scripts/site/emblem.ts',
  'pnpm-lock.yaml',
]
/** What TypeDoc's script does otherwise: what it has, and what it gets instead. */
const SCRIPT_CHANGES: readonly (readonly [found: RegExp, better: string])[] = [
  // An inline style sheet, which the policy of the docs host blocks. It is for filters, which the options turn off.
  [/document\.head\.appendChild\((document\.createElement\("style"\))\)/, '$1'],
  // In the contents, a link within what opens a group: it becomes the first of the group.
  [
    /(\w+)\((\w+),(\w+)\);(let \w+=\w+\.appendChild\(document\.createElement\("div"\)\);\w+\.className="tsd-accordion-details";let (\w+)=[^;]+;\w+\.className="tsd-nested-navigation";)/,
    '$3.append($2.text);$4$2.path&&$1($2,$5.appendChild(document.createElement("li")));',
  ],
]

/** A folder with the reference as HTML. A broken link in a docstring is an error. */
export async function sdkReference(signal?: AbortSignal): Promise<string> {
  const key = hashOfSources()
  const kept = () => readdirOrNone(CACHE).includes(key)
  if (!kept()) {
    const unfinished = join(CACHE, `${key}.${process.pid}`)
    try {
      await render(unfinished, signal)
      for (const name of readdirOrNone(CACHE)) if (!name.startsWith(key)) remove(join(CACHE, name))
      // Another process may have been faster.
      if (!kept()) renameSync(unfinished, join(CACHE, key))
    } finally {
      remove(unfinished)
    }
  }
  return join(CACHE, key)
}

async function render(folder: string, signal: AbortSignal | undefined): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const typedoc = join(TOOL, 'node_modules/typedoc/bin/typedoc')
  const entries = ENTRIES.flatMap(({ file }) => ['--entryPoints', file])
  const args = [typedoc, '--options', join(TOOL, 'typedoc.json'), '--out', folder, ...entries]
  try {
    await promisify(execFile)(process.execPath, args, { cwd: ROOT, ...(signal ? { signal } : {}) })
  } catch (cause) {
    signal?.throwIfAborted()
    const { stdout, stderr } = cause as { readonly stdout?: string; readonly stderr?: string }
    throw new Error(`The SDK reference has errors.\n${stdout ?? ''}${stderr ?? ''}`, { cause })
  }
  for (const file of globSync('**/*.html', { cwd: folder })) {
    const path = join(folder, file)
    writeFileSync(path, asOfTheSite(readFileSync(path, 'utf8')))
  }
  writeFileSync(join(folder, 'assets/icon.svg'), ICON)
  buildSync({
    entryPoints: [LOOK_SCRIPT],
    outfile: join(folder, 'assets/look.js'),
    bundle: true,
    minify: true,
    format: 'iife',
  })
  const script = join(folder, 'assets/main.js')
  let code = readFileSync(script, 'utf8')
  for (const [found, better] of SCRIPT_CHANGES) {
    if (!found.test(code)) throw new Error(`${script} no longer has ${found}`)
    code = code.replace(found, better)
  }
  writeFileSync(script, code)
}

/**
 * A page with the site's icon and look. The policy of the docs host blocks inline scripts: the only one applies a chosen
 * theme early, which the script of the look does too.
 */
function asOfTheSite(html: string): string {
  const [, base = './'] = /data-base="([^"]*)"/.exec(html) ?? []
  const added = `<link rel="icon" type="image/svg+xml" href="${base}assets/icon.svg"/><script src="${base}assets/look.js"></script>`
  const shown = html
    .replaceAll(/<script>.*?<\/script>/gs, '')
    // A link within what opens a group is one control in another.
    .replaceAll(/<summary.*?<\/summary>/gs, (summary) => summary.replaceAll(/<a [^>]*tsd-anchor-icon.*?<\/a>/gs, ''))
    .replace('</title>', `</title>${added}`)
  return withLevels(LANDMARKS.reduce((text, [found, better]) => text.replaceAll(found, better), shown))
}

/** A heading that skips a level gets the one that its place has. */
function withLevels(html: string): string {
  let before = 0
  return html.replaceAll(/<h([1-6])((?: [^>]*)?)>/g, (tag, digit: string, attributes: string) => {
    const own = Number(/aria-level="(\d)"/.exec(attributes)?.[1] ?? digit)
    const level = Math.min(own, before + 1)
    before = level
    return level === own ? tag : `<h${digit}${attributes} aria-level="${level}">`
  })
}

/** What readers of a screen need and TypeDoc leaves out: the main part, names of the navigations, levels of headings. */
const LANDMARKS: readonly (readonly [found: string, better: string])[] = [
  ['<div class="col-content">', '<div class="col-content" role="main">'],
  ['<div class="col-sidebar">', '<div class="col-sidebar" role="complementary" aria-label="Settings and contents">'],
  // On a phone it scrolls.
  ['<div class="tsd-signature">', '<div class="tsd-signature" tabindex="0">'],
  // On a phone it scrolls.
  ['<div class="tsd-signature', '<div tabindex="0" class="tsd-signature'],
  ['<nav id="tsd-sidebar-links"', '<nav id="tsd-sidebar-links" aria-label="Site"'],
  [
    '<h5 class="tsd-index-heading uppercase">',
    '<h5 class="tsd-index-heading uppercase" role="heading" aria-level="2">',
  ],
]

/** The files of the reference as the site has them, by path. The index is at `/sdk`, so its links are absolute. */
export function* referenceFiles(folder: string): Generator<readonly [path: string, content: string | Uint8Array]> {
  const toIndex = /href="(?:\.\.\/)?index\.html"/g
  for (const file of globSync('*/*', { cwd: folder })) {
    const content = readFileSync(join(folder, file))
    yield [`sdk/${file}`, file.endsWith('.html') ? content.toString().replaceAll(toIndex, 'href="/sdk"') : content]
  }
  const index = readFileSync(join(folder, 'index.html'), 'utf8').replaceAll(toIndex, 'href="/sdk"')
  yield ['sdk.html', index.replaceAll(/(href|src|data-base)="(?:\.\/)?(?![/#]|[a-z]+:)/g, '$1="/sdk/')]
}

function hashOfSources(): string {
  const files = SOURCES.flatMap((pattern) => globSync(pattern, { cwd: ROOT })).filter(
    (file) => !file.includes('.test.'),
  )
  const hash = createHash('sha256').update(readFileSync(import.meta.filename))
  for (const file of files.toSorted()) hash.update(`\n${file}\n`).update(readFileSync(join(ROOT, file)))
  return hash.digest('hex').slice(0, 16)
}

function readdirOrNone(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

const remove = (path: string) => rmSync(path, { recursive: true, force: true })
