/** A signal through the loudspeaker, where the browser plays sound. */

let context: AudioContext | null = null;
let playing: AudioBufferSourceNode | null = null;

export function canPlay(): boolean {
  return typeof AudioContext !== "undefined";
}

/** Play the samples once, as loud as fits; what was playing stops. */
export function play(samples: Float64Array, rate: number): void {
  context ??= new AudioContext();
  void context.resume();
  playing?.stop();
  const finite = Float32Array.from(samples, (v) => (Number.isFinite(v) ? Math.min(1e6, Math.max(-1e6, v)) : 0));
  const loudest = finite.reduce((most, v) => Math.max(most, Math.abs(v)), 1);
  const buffer = context.createBuffer(1, finite.length, rate);
  buffer.copyToChannel(finite.map((v) => (0.5 * v) / loudest), 0);
  playing = context.createBufferSource();
  playing.buffer = buffer;
  playing.connect(context.destination);
  playing.start();
}
