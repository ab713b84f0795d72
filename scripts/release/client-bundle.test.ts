import { build } from 'esbuild'
import { expect, it } from 'vitest'

it.each([
  ['the SDK', 'packages/client/src/index.ts'],
  ['the contact form', 'packages/client/src/contact-form/contact-form.ts'],
  ['images', 'packages/client/src/images/images.ts'],
  ['images in a page', 'packages/client/src/browser/images.ts'],
])('bundles %s for browsers, without anything from Node or Workers', async (_, entryPoint) => {
  const { outputFiles, metafile } = await build({
    entryPoints: [entryPoint],
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2024',
    minify: true,
    logLevel: 'silent',
  })
  const externals = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path))
  expect(externals).toEqual([])
  expect(outputFiles).toHaveLength(1)
  expect(Object.keys(metafile.inputs).filter((path) => /packages\/(service|rate-limit)\//.test(path))).toEqual([])
  expect(Object.keys(metafile.inputs).filter((path) => /opaque|simplewebauthn/.test(path))).toEqual([])
})
