/** Pictures that a page paints itself, each from a seed: in place of photographs, which the repository does not keep. */

export type Paint = (seed: number, width: number, height: number) => OffscreenCanvas

/** The numbers of a seed, 0 to 1 (xorshift). */
function chanceOf(seed: number): () => number {
  let state = Math.imul(seed, 2_654_435_761) | 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}

export function blank(
  width: number,
  height: number,
): { canvas: OffscreenCanvas; context: OffscreenCanvasRenderingContext2D } {
  const canvas = new OffscreenCanvas(width, height)
  const context = canvas.getContext('2d', { willReadFrequently: true })
  if (!context) throw new Error('the browser has no canvas')
  context.fillStyle = 'white'
  context.fillRect(0, 0, width, height)
  return { canvas, context }
}

/** Ground, sky, soft light and objects with shades. */
const scene: Paint = (seed, width, height) => {
  const { canvas, context } = blank(width, height)
  const chance = chanceOf(seed)
  const colour = (light: number) =>
    `hsl(${Math.floor(360 * chance())} ${Math.floor(20 + 60 * chance())}% ${Math.floor(light)}%)`
  const horizon = height * (0.3 + 0.4 * chance())
  const sky = context.createLinearGradient(0, 0, width * chance(), horizon)
  sky.addColorStop(0, colour(50 + 40 * chance()))
  sky.addColorStop(1, colour(60 + 35 * chance()))
  context.fillStyle = sky
  context.fillRect(0, 0, width, height)
  const ground = context.createLinearGradient(0, horizon, width * (chance() - 0.5), height)
  ground.addColorStop(0, colour(30 + 30 * chance()))
  ground.addColorStop(1, colour(10 + 30 * chance()))
  context.fillStyle = ground
  context.fillRect(0, horizon, width, height)
  for (let i = 0; i < 14; i++) {
    const [x, y] = [width * chance(), horizon * 0.4 + (height - horizon * 0.4) * chance()]
    const size = width * (0.04 + 0.22 * chance())
    const body = context.createRadialGradient(x - size / 4, y - size / 4, 0, x, y, size)
    body.addColorStop(0, colour(50 + 45 * chance()))
    body.addColorStop(1, colour(8 + 40 * chance()))
    context.fillStyle = body
    context.beginPath()
    if (i % 3 === 0) context.ellipse(x, y, size, size * (0.3 + chance()), 3 * chance(), 0, 7)
    else if (i % 3 === 1) context.rect(x, y - size, size * (0.3 + chance()), size * (0.5 + chance()))
    else {
      context.moveTo(x, y - size)
      context.lineTo(x + size * chance(), y + size * chance())
      context.lineTo(x - size * chance(), y + size * chance())
    }
    context.fill()
  }
  grain(context, width, height, chance, 10)
  return canvas
}

/** Noise on four scales, as of stone or cloth. */
const texture: Paint = (seed, width, height) => {
  const { canvas, context } = blank(width, height)
  const chance = chanceOf(seed)
  context.imageSmoothingQuality = 'high'
  for (const [cells, weight] of [
    [6, 1],
    [14, 0.55],
    [40, 0.4],
    [120, 0.3],
  ] as const) {
    const small = blank(cells, cells)
    const data = small.context.createImageData(cells, cells)
    const tint = [chance(), chance(), chance()]
    for (let at = 0; at < data.data.length; at++) {
      const value = at % 4 === 0 ? chance() : (data.data[at - 1] ?? 0) / 255
      data.data[at] = at % 4 === 3 ? 255 : 255 * (0.7 * value + 0.3 * (tint[at % 4] ?? 0))
    }
    small.context.putImageData(data, 0, 0)
    context.globalAlpha = weight
    context.drawImage(small.canvas, 0, 0, width, height)
  }
  context.globalAlpha = 1
  return canvas
}

/** Lines, areas and words on white. */
const drawing: Paint = (seed, width, height) => {
  const { canvas, context } = blank(width, height)
  const chance = chanceOf(seed)
  for (let i = 0; i < 26; i++) {
    context.strokeStyle = `hsl(${Math.floor(360 * chance())} 70% ${Math.floor(15 + 30 * chance())}%)`
    context.fillStyle = `hsl(${Math.floor(360 * chance())} 70% ${Math.floor(30 + 50 * chance())}%)`
    context.lineWidth = width * (0.003 + 0.012 * chance())
    context.beginPath()
    context.moveTo(width * chance(), height * chance())
    for (let j = 0; j < 3; j++)
      context.bezierCurveTo(
        width * chance(),
        height * chance(),
        width * chance(),
        height * chance(),
        width * chance(),
        height * chance(),
      )
    if (i % 3 === 0) context.fill()
    context.stroke()
  }
  context.fillStyle = 'black'
  context.font = `${Math.round(height / 14)}px sans-serif`
  for (let i = 0; i < 4; i++)
    context.fillText(
      `${Math.floor(chance() * 1e9).toString(36)} ${seed}`,
      width * 0.6 * chance(),
      height * (0.1 + 0.85 * chance()),
    )
  return canvas
}

function grain(
  context: OffscreenCanvasRenderingContext2D,
  width: number,
  height: number,
  chance: () => number,
  strength: number,
): void {
  const image = context.getImageData(0, 0, width, height)
  for (let at = 0; at < image.data.length; at += 4) {
    const by = strength * (chance() - 0.5)
    for (let channel = 0; channel < 3; channel++) image.data[at + channel] = (image.data[at + channel] ?? 0) + by
  }
  context.putImageData(image, 0, 0)
}

export const KINDS: Readonly<Record<string, Paint>> = { scene, texture, drawing }
