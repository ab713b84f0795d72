import { join } from 'node:path'
import { findChromium } from '@svc/platform/chromium'
import { ROOT } from '@svc/platform/workspace'
import { build } from 'esbuild'
import { chromium } from 'playwright-core'
import { expect, it } from 'vitest'
import { GOLDEN } from '../../../packages/fingerprint/src/golden.fixture.ts'

/** Set by the bundle for the page. */
declare const fingerprintPackage: Pick<typeof import('@svc/fingerprint'), 'fingerprintText' | 'packVector'>

it('computes the same vectors in Chromium as in Node.js and workerd', async () => {
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, 'packages/fingerprint/src/index.ts')],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'fingerprintPackage',
    target: 'es2024',
  })
  const executablePath = findChromium()
  if (executablePath === undefined) throw new Error('no CHROME_PATH, and no chromium in PATH')
  const browser = await chromium.launch({
    executablePath,
    args: ['--disable-background-networking', '--disable-component-update', '--no-first-run', '--disable-gpu'],
    chromiumSandbox: process.getuid?.() !== 0,
  })
  try {
    const page = await browser.newPage()
    await page.addScriptTag({ content: outputFiles[0]?.text ?? '' })
    const found = await page.evaluate(
      (texts) =>
        texts.map((text) =>
          fingerprintPackage.fingerprintText(text).chunks.map(({ values, wordStart, wordEnd }) => {
            const bytes = fingerprintPackage.packVector(values)
            return [wordStart, wordEnd, Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')]
          }),
        ),
      GOLDEN.map(({ text }) => text),
    )
    expect(found).toEqual(GOLDEN.map(({ chunks }) => chunks))
  } finally {
    await browser.close()
  }
})
