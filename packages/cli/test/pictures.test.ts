import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { encode } from 'jpeg-js'
import { PNG } from 'pngjs'
import { afterAll, describe, expect, it } from 'vitest'
import { newMachine } from './svc.ts'

const machine = newMachine()
afterAll(() => machine.remove())
const write = (name: string, content: string | Uint8Array) => writeFileSync(join(machine.home, name), content)

const WIDTH = 96
const HEIGHT = 64
const rgba = Uint8Array.from({ length: 4 * WIDTH * HEIGHT }, (_, at) =>
  at % 4 === 3 ? 255 : (at * 7 + (at >> 9) * 31) & 0xff,
)

function pngOf(data: Uint8Array, width: number, height: number): Buffer {
  const png = new PNG({ width, height })
  png.data = Buffer.from(data)
  return PNG.sync.write(png)
}

/** What a dry run says, which has decoded the picture. */
async function sizeOf(name: string): Promise<string> {
  const { code, stdout, stderr } = await machine.svc(['image', 'register', name, '--dry-run'])
  return code === 0 ? stdout.trim() : stderr
}

describe('a picture', () => {
  it('is decoded as what its content says', async () => {
    write('photo.bin', pngOf(rgba, WIDTH, HEIGHT))
    expect(await sizeOf('photo.bin')).toBe('Would register the fingerprint of 96 by 64 pixels.')
    write('photo.png', encode({ data: Buffer.from(rgba), width: WIDTH, height: HEIGHT }, 90).data)
    expect(await sizeOf('photo.png')).toBe('Would register the fingerprint of 96 by 64 pixels.')
  })

  it('of another kind is refused, with how to convert it', async () => {
    write('photo.gif', 'GIF89a')
    expect(await sizeOf('photo.gif')).toContain('photo.gif is neither a PNG nor a JPEG. Next: convert it')
  })

  it('that is cut off is refused in one line', async () => {
    write('cut.png', pngOf(rgba, WIDTH, HEIGHT).subarray(0, 100))
    write('cut.jpg', encode({ data: Buffer.from(rgba), width: WIDTH, height: HEIGHT }, 90).data.subarray(0, 40))
    for (const name of ['cut.png', 'cut.jpg']) {
      const said = await sizeOf(name)
      expect(said).toContain(`error: ${name} cannot be decoded`)
      expect(said.trim().split('\n')).toHaveLength(1)
    }
  })

  it('that claims to be huge is refused before it takes memory', async () => {
    const png = pngOf(rgba, WIDTH, HEIGHT)
    png.writeUInt32BE(60_000, 16)
    png.writeUInt32BE(60_000, 20)
    write('huge.png', png)
    expect(await sizeOf('huge.png')).toContain('more than 100 megapixels')
  })

  it('of the walk-through is a PNG', async () => {
    const program = join(import.meta.dirname, '../../../scripts/walkthrough/command-line/picture.ts')
    execFileSync(process.execPath, [program, '5', '48', '36', join(machine.home, 'painted.png')])
    expect(await sizeOf('painted.png')).toBe('Would register the fingerprint of 48 by 36 pixels.')
  })
})

describe('the frames of a video', () => {
  it('are needed', async () => {
    write('film.mp4', 'film')
    const { code, stderr } = await machine.svc('video register film.mp4')
    expect(code).toBe(2)
    expect(stderr).toContain('name pictures with --frames')
  })
})
