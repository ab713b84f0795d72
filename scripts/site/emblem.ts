/**
 * The site's icon and the card that messengers and networks show beside a link, drawn here so that no picture is kept by
 * hand.
 *
 * @module
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { initWasm, Resvg } from '@resvg/resvg-wasm'
import { escapeHtml } from './code-blocks.ts'

/** A key's bow over a line of blocks. */
const MARK =
  '<circle cx="11" cy="12" r="6" fill="none" stroke-width="4"/><path d="M17 12h11M24 12v6" fill="none" stroke-width="4" stroke-linecap="round"/><path d="M5 26h5M13.5 26h5M22 26h5" fill="none" stroke-width="4" stroke-linecap="round"/>'

export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><style>svg{stroke:#2f4fd0}@media (prefers-color-scheme:dark){svg{stroke:#9db4ff}}</style>${MARK}</svg>`

const FONTS = ['400Regular/Inter_400Regular.ttf', '700Bold/Inter_700Bold.ttf']
const { resolve } = createRequire(import.meta.url)
let isReady: Promise<void> | undefined

/** A PNG of 1,200 × 630 pixels, the size that networks ask for. */
export async function cardImage(name: string, lines: readonly string[]): Promise<Uint8Array> {
  isReady ??= initWasm(readFileSync(resolve('@resvg/resvg-wasm/index_bg.wasm')))
  await isReady
  const texts = lines.map((line, at) => `<text x="100" y="${400 + at * 58}" font-size="42">${escapeHtml(line)}</text>`)
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1200 630" font-family="Inter" fill="#e7eaf1">
<rect width="1200" height="630" fill="#12151c"/><rect width="1200" height="12" fill="#2f4fd0"/>
<g transform="translate(92 100) scale(5)" stroke="#9db4ff">${MARK}</g>
<text x="290" y="232" font-size="128" font-weight="700">${escapeHtml(name)}</text>
${texts.join('\n')}
</svg>`
  const fontBuffers = FONTS.map((font) => new Uint8Array(readFileSync(resolve(`@expo-google-fonts/inter/${font}`))))
  const drawing = new Resvg(svg, {
    fitTo: { mode: 'width', value: 1200 },
    font: { fontBuffers, defaultFontFamily: 'Inter', loadSystemFonts: false },
  })
  return drawing.render().asPng()
}
