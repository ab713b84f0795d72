import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hashOf } from '@svc/client/functions'
import { build } from 'esbuild'
import type { Author } from './author.ts'
import { paragraphsOf, signedText } from './signed-text.ts'

/** Turnstile's test key, which a local start accepts. A deployment needs one of your own. */
const SITE_KEY = '1x00000000000000000000AA'

/** Signs a text for the address of its page, and writes the page with its files to a folder, which it replaces. */
export async function publish({ client, identity }: Author, text: string, address: string, site: string) {
  const paragraphs = paragraphsOf(text)
  if (paragraphs.length === 0) throw new Error('The text is empty')
  const signed = await identity.signMessage({
    realm: client.realm,
    audience: address,
    content: signedText(paragraphs),
    inception: await client.devices.known(),
  })
  // Visitors write to the owner of an asset. This one stands for the address, so it is the same each time.
  const metadataHash = await hashOf(new TextEncoder().encode(address))
  const { asset } = await client.assets.mint({ media: { mime: 'text/html' }, metadataHash })
  const services = client.discovery?.document.services
  const core = services?.['core']?.url ?? ''
  const page = { did: identity.did, core, asset: asset.assetId, resolver: services?.['did']?.url ?? '', paragraphs }
  await rm(site, { recursive: true, force: true })
  await mkdir(site, { recursive: true })
  await writeFile(join(site, 'index.html'), htmlOf(page))
  await writeFile(join(site, 'signed.json'), JSON.stringify(signed))
  await copyFile(join(import.meta.dirname, 'page.css'), join(site, 'page.css'))
  await build({
    entryPoints: [join(import.meta.dirname, 'page.ts')],
    outdir: site,
    bundle: true,
    // The page loads the parts of the SDK that it calls, and no others.
    splitting: true,
    chunkNames: 'chunks/[hash]',
    minify: true,
    format: 'esm',
    target: 'es2024',
    logLevel: 'error',
  })
}

interface Page {
  readonly did: string
  readonly core: string
  readonly resolver: string
  readonly asset: string
  readonly paragraphs: readonly string[]
}

function htmlOf({ did, core, resolver, asset, paragraphs }: Page): string {
  const [title = '', ...others] = paragraphs.map(escaped)
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self' ${core} ${resolver}; base-uri 'none'; form-action 'none'">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="page.css">
    <script type="module" src="page.js"></script>
  </head>
  <body>
    <main data-core="${core}" data-author="${did}" data-asset="${asset}" data-site-key="${SITE_KEY}">
      <article>
        <h1>${title}</h1>
        ${others.map((paragraph) => `<p>${paragraph}</p>`).join('\n        ')}
      </article>
      <p id="verdict" role="status">The signature of this text has not been checked. This needs JavaScript.</p>
    </main>
  </body>
</html>
`
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => `&#${character.codePointAt(0)};`)
}
