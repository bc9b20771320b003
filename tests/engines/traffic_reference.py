"""A traffic signal in plain Python: lists of vehicles, and all times computed anew at every event.

Nothing is taken from the engine, neither its tables nor its draws.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

WORD = 2**64
LEFT, THROUGH, RIGHT = range(3)
DAY = [
    0.8, 0.5, 0.4, 0.4, 0.7, 1.8, 4.2, 6.6, 6.7, 5.2, 4.8, 5.2,
    5.7, 5.7, 6.0, 6.9, 7.8, 8.1, 6.5, 4.9, 3.9, 3.3, 2.4, 1.5,
]  # fmt: skip
FROM = {"day": 0, "morning": 7, "evening": 16}


def mix(x):
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB % WORD
    return x ^ (x >> 31)


def nth(x, n):
    return mix((x + 0x9E3779B97F4A7C15 * (n + 1)) % WORD)


def vehicles(params, key, episode, seconds):
    """(arrival, approach, movement, speed) of all vehicles, in the order of their arrival."""
    left, right = params["left_share"], params["right_share"]
    factor = [1.0] * 24
    if params["profile"] != "flat":
        factor = [DAY[(hour + FROM[params["profile"]]) % 24] * 24 / 100 for hour in range(24)]
    found = []
    for approach in range(4):
        for movement, share in enumerate((left, 1 - left - right, right)):
            rate = params["inflow"] / 2 * share / 3600
            time, n = 0.0, 0
            while rate > 0:
                x = nth(key, episode << 32 | (n * 16 + 3 * approach + movement) << 3 | 4)
                work = -math.log(1 - (x >> 11) / 2**53) / rate
                while work > factor[int(time // 3600) % 24] * (3600 * (time // 3600 + 1) - time):
                    work -= factor[int(time // 3600) % 24] * (3600 * (time // 3600 + 1) - time)
                    time = 3600 * (time // 3600 + 1)
                time += work / factor[int(time // 3600) % 24]
                if time > seconds:
                    break
                y = nth(x, 0)
                tail = NormalDist().inv_cdf(((y >> 12) + 0.5) / 2**53) * (1 - 2 * (y & 1))
                pace = min(max(1 + 0.1 * tail, 0.8), 1.2)
                found.append((time, approach, movement, pace * params["speed"] * 0.44704))
                n += 1
    return sorted(found)


@dataclass
class Car:
    arrival: float
    movement: int
    wish: float
    due: float = math.inf
    since: float = math.inf

    @property
    def speed(self):
        return self.wish - 0.65


class Lane:
    def __init__(self, approach, movements):
        self.approach, self.movements = approach, movements
        self.cars: list[Car] = []
        self.served, self.flowing, self.start, self.last = 0, False, 0.0, 0.0
        self.gone = 0.0


class Signal:
    def __init__(self, params, key, episode=0):
        self.p = params
        self.limit = params["speed"] * 0.44704
        self.room = max(int(params["length"] / 7.5), 1)
        self.lanes = [lane for approach in range(4) for lane in self.build(approach)]
        seconds = params["max_episode_steps"] * params["decision"]
        drawn = vehicles(params, key, episode, seconds)
        self.coming = [(time, approach, Car(time, movement, speed)) for time, approach, movement, speed in drawn]
        self.total = len(drawn)
        self.crossings: list[tuple[float, int, int]] = []
        self.now, self.t, self.lost, self.stops, self.amber = 0.0, 0, 0.0, 0, None
        self.late, self.queued = 0.0, 0
        self.set_green(0)

    def build(self, approach):
        p = self.p
        through = [{THROUGH} for _ in range(p["lanes"] // 2 + (p["lanes"] % 2 if approach < 2 else 0))]
        if p["left_lanes"] == 0:
            through[0] |= {LEFT}
        if p["right_lanes"] == 0:
            through[-1] |= {RIGHT}
        kinds = [{LEFT}] * p["left_lanes"] + through + [{RIGHT}] * p["right_lanes"]
        return [Lane(approach, kind) for kind in kinds]

    def light(self, approach, movement):
        if self.phase is None:
            return "red"
        street, turn = divmod(self.phase, 2) if self.p["left_lanes"] else (self.phase, 0)
        if approach % 2 != street:
            return "red"
        if turn:
            return "green" if movement == LEFT else "red"
        return "permissive" if movement == LEFT else "green"

    def top(self, movement):
        return min(self.limit, {LEFT: 6.76, RIGHT: 7.28, THROUGH: math.inf}[movement])

    def driven(self, distance, top):
        """Seconds from rest."""
        if distance <= top**2 / 5.2:
            return math.sqrt(2 * distance / 2.6)
        return top / 2.6 + (distance - top**2 / 5.2) / top

    def headway(self, n, movement):
        n = min(n, 31)
        if n == 1:
            return 0.2
        top = self.top(movement)
        return 1.37 + self.driven(7.5 * (n - 1), top) - self.driven(7.5 * (n - 2), top)

    def free(self, lane):
        """When the first car of a lane can cross if it need not give way."""
        n = 31 if lane.flowing else lane.served + 1
        return max(lane.cars[0].due, lane.last + self.headway(n, lane.cars[0].movement))

    def crossing(self, lane):
        """When it does."""
        if not lane.cars:
            return math.inf
        light = self.light(lane.approach, lane.cars[0].movement)
        if light == "red":
            return math.inf
        there = self.free(lane)
        if light == "green":
            return there
        then = max(there, self.now)
        facing = [o for o in self.lanes if (o.approach - lane.approach) % 4 == 2 and o.cars]
        others = [self.crossing(o) for o in facing if o.cars[0].movement != LEFT]
        across = sum(o.movements != {LEFT} for o in self.lanes if (o.approach - lane.approach) % 4 == 2)
        if all(other - then >= 5.3 + 0.65 * (across - 1) for other in others):
            return then
        if self.amber is not None and there <= self.amber:
            return self.amber + min(0.4, self.p["yellow"])
        return math.inf

    def lane_for(self, approach, movement):
        fits = [o for o in self.lanes if o.approach == approach and movement in o.movements and len(o.cars) < self.room]
        return min(reversed(fits), key=lambda o: len(o.cars), default=None)

    def run(self, until):
        while True:
            first = min(self.lanes, key=self.crossing)
            enters = next(((i, c) for i, c in enumerate(self.coming) if self.lane_for(c[1], c[2].movement)), None)
            time = enters[1][0] if enters else math.inf
            if min(time, self.crossing(first)) > until:
                break
            if time <= self.crossing(first):
                _, approach, car = self.coming.pop(enters[0])
                self.now = max(self.now, time)
                self.lost += self.now - car.arrival
                car.due = self.now + self.p["length"] / car.speed
                self.lane_for(approach, car.movement).cars.append(car)
            else:
                self.leave(first)
        self.now = until

    def leave(self, lane):
        time, there, car = self.crossing(lane), self.free(lane), lane.cars[0]
        assert all(self.crossing(o) >= time for o in self.lanes)
        top = self.top(car.movement)
        if time == car.due:
            lane.flowing = True
            behind = (self.limit - top) ** 2 / (2 * self.limit) * (1 / 2.6 + 1 / 4.5)
        else:
            if time > there:
                lane.served, lane.flowing, lane.start = 0, False, time
            lane.served += 1
            n = 31 if lane.flowing else min(lane.served, 31)
            speed = min(math.sqrt(5.2 * 7.5 * (n - 1)), top)
            behind = (self.limit - speed) ** 2 / (2 * self.limit) / 2.6
        length = self.p["length"]
        lane.gone = max(time + behind + length / car.speed, lane.gone + 1.37 + 7.5 / self.limit)
        self.now, lane.last = time, time
        self.lost += lane.gone - 2 * length / car.wish - (car.due - length / car.speed)
        self.stops += time - car.due + behind > self.limit / 2 * (1 / 2.6 + 1 / 4.5)
        self.crossings.append((time, lane.approach, car.movement))
        lane.cars.pop(0)

    def set_green(self, phase):
        self.phase, self.amber = phase, None
        for lane in self.lanes:
            lane.served, lane.flowing, lane.last, lane.start = 0, False, self.now, self.now + 0.2

    def step(self, phase):
        """The reward of a decision."""
        self.t += 1
        if phase != self.phase:
            self.amber = start = self.now
            self.run(start + min(0.4, self.p["yellow"]))
            self.phase = None
            self.run(start + self.p["yellow"] + self.p["all_red"])
            self.set_green(phase)
        self.run(self.t * self.p["decision"])
        return self.measure()

    def waits_until(self, lane, i):
        """When the i-th car of a lane may move on."""
        if self.crossing(lane) == math.inf:
            return math.inf
        return -math.inf if lane.flowing else lane.start + 1.37 * (lane.served + i)

    def measure(self):
        now, self.seen = self.now, []
        outside = [c for time, _, c in self.coming if time <= now]
        late = self.lost + sum(now - c.arrival for c in outside)
        queue = len(outside)
        for lane in self.lanes:
            approaching = wait = queued = speeds = 0.0
            for i, car in enumerate(lane.cars):
                late += max(now - car.due, 0)
                moves = self.waits_until(lane, i)
                gone = lane.served if moves not in (math.inf, -math.inf) else 0
                reaches = car.due - 7.5 * (gone + i) / car.speed
                if car.since == math.inf and reaches <= now and reaches < moves:
                    car.since = reaches
                queue += car.since < math.inf
                if max(7.5 * i, (car.due - now) * car.speed) <= 200:
                    if car.since < math.inf:
                        queued, wait = queued + 1, wait + now - car.since
                        speeds += min(2.6 * max(now - moves, 0), car.speed)
                    else:
                        approaching, speeds = approaching + 1, speeds + car.speed
            self.seen.append((approaching, wait, queued, speeds))
        approaching, wait, queued, _ = (sum(column) for column in zip(*self.seen, strict=True))
        self.queued += queue
        reward = {
            "wait": -min(wait / 224, 4),
            "queue": -queued,
            "pressure": -(queued + approaching),
            "delay": (self.late - late) / max(self.total, 1),
        }[self.p["reward"]]
        self.late = late
        return reward

    def observation(self):
        if self.p["observation"] == "movements":
            return [x for a in range(4) for m in (LEFT, THROUGH) for x in self.of_movement(a, m)]
        most = self.p["observed_lanes"] or max(len(self.build(a)) for a in range(4))
        numbers = []
        for approach in range(4):
            own = [(o, s) for o, s in zip(self.lanes, self.seen, strict=True) if o.approach == approach]
            for lane, (approaching, wait, queued, speeds) in own:
                green = max(self.shade(approach, m) for m in lane.movements)
                numbers += [green, approaching / 28, wait / 28, queued / 28, speeds / 20 / 28]
            numbers += [0.0] * 5 * (most - len(own))
        return numbers

    def of_movement(self, approach, movement):
        own = [
            s for o, s in zip(self.lanes, self.seen, strict=True) if o.approach == approach and movement in o.movements
        ]
        queue, approaching = sum(s[2] for s in own), sum(s[0] for s in own)
        return [self.shade(approach, movement), queue / 28, approaching / 28, (queue + approaching) / 28]

    def shade(self, approach, movement):
        return {"red": 0.0, "permissive": 0.5, "green": 1.0}[self.light(approach, movement)]

    def metrics(self):
        inside = sum(len(lane.cars) for lane in self.lanes) + sum(time <= self.now for time, _, _ in self.coming)
        crossed = len(self.crossings)
        return {
            "delay": self.late / max(crossed + inside, 1),
            "stops": self.stops / max(crossed, 1),
            "queue": self.queued / self.t,
            "throughput": crossed,
            "inside": inside,
        }
