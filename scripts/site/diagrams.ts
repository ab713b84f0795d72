/**
 * Pictures of the pages: Mermaid in the text, SVG on the site. `accTitle` and `accDescr`, Mermaid's own lines for people
 * who do not see the picture, become its alternative text.
 *
 * @module
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { renderMermaidSVG } from 'beautiful-mermaid'
import { ROOT } from './root.ts'

export interface Picture {
  /** `/assets/picture-0123456789ab.svg`: changes with its content. */
  readonly path: string
  readonly svg: string
  readonly alternative: string
  readonly width: number
  readonly height: number
}

const CACHE = join(ROOT, 'node_modules/.cache/pictures')
const LINES_FOR_READERS = /^\s*acc(Title|Descr)\s*:\s*(.+)\n?/gm

/** The SVG takes its colors from the page that shows it: an image has the color scheme of its element. */
const COLORS = `svg { --bg: #ffffff; --fg: #1c2230; --line: #6b7589; --accent: #2f4fd0; --surface: #f3f5fb; --border: #a9b3cb; --muted: #475067 }
  @media (prefers-color-scheme: dark) { svg { --bg: #12151c; --fg: #e7eaf1; --line: #8a94aa; --accent: #9db4ff; --surface: #1d2330; --border: #4a556e; --muted: #b4bdce } }`

/** The picture of a Mermaid diagram. `place` is for the message if it has no alternative text. */
export function pictureOf(diagram: string, place: string): Picture {
  const said = new Map([...diagram.matchAll(LINES_FOR_READERS)].map(([, line = '', text = '']) => [line, text.trim()]))
  const [title, description] = [said.get('Title'), said.get('Descr')]
  if (title === undefined || description === undefined)
    throw new Error(`${place}: a diagram needs accTitle and accDescr, for people who cannot see it`)
  const drawing = diagram.replaceAll(LINES_FOR_READERS, '')
  const svg = kept(drawing, () => drawn(drawing, place))
  const [, width = '0', height = '0'] = /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(svg) ?? []
  return {
    path: `/assets/picture-${digestOf(svg)}.svg`,
    svg,
    alternative: `${title}. ${description}`,
    width: Math.ceil(Number(width)),
    height: Math.ceil(Number(height)),
  }
}

function drawn(drawing: string, place: string): string {
  let svg: string
  try {
    svg = renderMermaidSVG(drawing, { transparent: true, padding: 8, font: 'system-ui' })
  } catch (cause) {
    throw new Error(`${place}: the diagram cannot be drawn`, { cause })
  }
  return svg
    .replace(/@import url\([^)]*\);/, '')
    .replace('<style>', `<style>\n  ${COLORS}`)
    .replace(/(<svg [^>]*) style="[^"]*"/, '$1')
}

const digestOf = (...texts: readonly string[]) =>
  createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 12)

/** Changes with whatever decides how a diagram looks: its library and this file. */
const STYLE = [join(ROOT, 'pnpm-lock.yaml'), import.meta.filename].map((file) => readFileSync(file, 'utf8'))

/** Laying out a diagram takes up to half a second, so it is kept. */
function kept(drawing: string, draw: () => string): string {
  const file = join(CACHE, `${digestOf(...STYLE, drawing)}.svg`)
  try {
    return readFileSync(file, 'utf8')
  } catch {
    const svg = draw()
    mkdirSync(dirname(file), { recursive: true })
    // Another process may read it at the same time.
    const own = `${file}.${process.pid}`
    writeFileSync(own, svg)
    renameSync(own, file)
    return svg
  }
}
