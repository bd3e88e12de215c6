package com.example;

import com.example.Orders.Order;
import io.flexdb.storage.StorageException;
import java.util.List;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Orders by HTTP. */
@RestController
@RequestMapping("/orders")
class OrderController {
    record NewOrder(String item) {
        NewOrder {
            if (item == null || item.isBlank()) {
                throw new IllegalArgumentException("item is missing");
            }
        }
    }

    private static final int LONGEST_PAGE = 100;

    private final Orders orders;

    OrderController(Orders orders) {
        this.orders = orders;
    }

    @PostMapping
    @ResponseStatus(HttpStatus.CREATED)
    Order place(@RequestBody NewOrder order) {
        return orders.place(order.item());
    }

    @GetMapping("/{id}")
    ResponseEntity<Order> find(@PathVariable long id) {
        return ResponseEntity.of(orders.find(id));
    }

    @GetMapping
    List<Order> page(@RequestParam(defaultValue = "1") long from, @RequestParam(defaultValue = "20") int size) {
        return orders.page(from, Math.min(size, LONGEST_PAGE));
    }

    @DeleteMapping("/{id}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void cancel(@PathVariable long id) {
        orders.cancel(id);
    }

    /** Arguments that the store refuses, such as a limit below 0. */
    @ExceptionHandler(IllegalArgumentException.class)
    ProblemDetail badRequest(IllegalArgumentException e) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, e.getMessage());
    }

    /** A full disk, damage or a failed device. */
    @ExceptionHandler(StorageException.class)
    ProblemDetail unavailable(StorageException e) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE, e.getMessage());
    }
}
